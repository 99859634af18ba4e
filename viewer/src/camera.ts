// How the mechanism is looked at: a planar one from the front without perspective and with y up, a
// spatial one from above with z up.

import { Box3, MOUSE, OrthographicCamera, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const kFieldOfView = 28; // degrees, vertical
const kMargin = 1.12;

// A place to look from, chosen by the user.
export interface Look {
  position: Vector3;
  target: Vector3;
  zoom: number;
  half_height: number;
}

export class CameraRig {
  readonly camera: OrthographicCamera | PerspectiveCamera;
  readonly controls: OrbitControls;
  private aspect = 1;
  private half_height = 1; // of what an orthographic camera sees
  private fitted: Box3 | null = null; // until the user looks elsewhere

  constructor(canvas: HTMLElement, private readonly planar: boolean, changed: () => void) {
    this.camera = planar ? new OrthographicCamera() : new PerspectiveCamera(kFieldOfView);
    this.camera.up.set(0, planar ? 1 : 0, planar ? 0 : 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    if (planar) {
      this.controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.ROTATE };
    }
    this.controls.addEventListener("start", () => { this.fitted = null; });
    this.controls.addEventListener("change", changed);
  }

  // Looks at all of the box from the usual side.
  fit(box: Box3) {
    const centre = box.getCenter(new Vector3());
    const towards = (this.planar ? new Vector3(0, 0, 1) : new Vector3(1, -1.7, 0.9)).normalize();
    const right = new Vector3().crossVectors(this.camera.up, towards).normalize();
    const up = new Vector3().crossVectors(towards, right);

    // In the camera's axes a corner is at (x, y, z) from the centre, z towards the camera. A
    // camera at distance d with half field of view θ sees it when |y| ≤ (d - z) tan θ, and
    // likewise |x| ≤ (d - z) tan θ · aspect.
    const tangent = Math.tan((kFieldOfView * Math.PI) / 360) / kMargin;
    let distance = 0;
    let half_height = 0;
    for (const corner of corners(box)) {
      corner.sub(centre);
      const half = Math.max(Math.abs(corner.dot(up)), Math.abs(corner.dot(right)) / this.aspect);
      half_height = Math.max(half_height, half);
      distance = Math.max(distance, corner.dot(towards) + half / tangent);
    }
    this.half_height = kMargin * half_height;
    this.camera.zoom = 1;
    this.camera.position.copy(centre).addScaledVector(towards, distance);
    this.camera.near = this.planar ? -10 * distance : distance / 100;
    this.camera.far = 100 * distance;
    this.controls.maxDistance = 20 * distance;
    this.controls.target.copy(centre);
    this.project();
    this.controls.update();
    this.fitted = box.clone();
  }

  // Looks from another place in the same direction.
  move(by: Vector3) {
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.fitted?.translate(by);
    this.controls.update();
  }

  // Looks from farther away, by this factor, in the same direction.
  recede(by: number) {
    const { target } = this.controls;
    this.half_height *= by;
    this.camera.position.sub(target).multiplyScalar(by).add(target);
    this.camera.near *= this.planar ? by : 1;
    this.camera.far *= by;
    this.controls.maxDistance *= by;
    this.fitted?.expandByVector(this.fitted.getSize(new Vector3()).multiplyScalar((by - 1) / 2));
    this.project();
    this.controls.update();
  }

  // null: all is looked at from the usual side.
  get look(): Look | null {
    if (this.fitted) return null;
    return {
      position: this.camera.position.clone(), target: this.controls.target.clone(),
      zoom: this.camera.zoom, half_height: this.half_height,
    };
  }
  set look(look: Look | null) {
    if (!look) return;
    this.fitted = null;
    this.camera.position.copy(look.position);
    this.controls.target.copy(look.target);
    this.camera.zoom = look.zoom;
    this.half_height = look.half_height;
    this.project();
    this.controls.update();
  }

  resize(width: number, height: number) {
    this.aspect = width / height;
    if (this.fitted) this.fit(this.fitted);
    else this.project();
  }

  private project() {
    if (this.camera instanceof PerspectiveCamera) this.camera.aspect = this.aspect;
    else {
      this.camera.top = this.half_height;
      this.camera.bottom = -this.half_height;
      this.camera.right = this.half_height * this.aspect;
      this.camera.left = -this.camera.right;
    }
    this.camera.updateProjectionMatrix();
  }
}

function corners(box: Box3): Vector3[] {
  const { min, max } = box;
  return [min.x, max.x].flatMap((x) =>
    [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new Vector3(x, y, z))));
}
