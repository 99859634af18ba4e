// From the pointer to the picture: how many frames of the display, and how many milliseconds, pass
// between a touch and the frame that shows what came of it. The medians of the last touches.

const kKept = 31;

interface Touch {
  frame: number;
  time: number; // milliseconds
}

export class Latency {
  private frame = 0;
  private touch: Touch | null = null; // the first that is not yet sent
  private sent: Touch | null = null;
  private answered: Touch | null = null;
  private readonly found: { frames: number; time: number }[] = [];

  // The pointer has moved something; `time` as of its event.
  touched(time: number) {
    this.touch ??= { frame: this.frame, time };
  }

  // What was touched is on its way to the step.
  send() {
    this.sent = this.touch;
    this.touch = null;
  }

  // The step has answered; the next frame shows it.
  answer() {
    this.answered ??= this.sent;
    this.sent = null;
  }

  // A frame of the display begins.
  begin_frame(now: number) {
    ++this.frame;
    if (!this.answered) return;
    const { frame, time } = this.answered;
    this.answered = null;
    this.found.push({ frames: this.frame - frame, time: now - time });
    if (this.found.length > kKept) this.found.shift();
  }

  // null: nothing was touched.
  get median(): { frames: number; time: number } | null {
    if (this.found.length === 0) return null;
    const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!;
    return {
      frames: middle(this.found.map(({ frames }) => frames)),
      time: middle(this.found.map(({ time }) => time)),
    };
  }
}
