"""Environments as learning programs know them: thousands of cart-poles or cranes behind Gymnasium's vector interface.

    bin/koppel python examples/python/environments.py [picture.png]

`reset(seed=…)` gives (observations, info); `step(actions)` gives (observations, rewards, terminations, truncations, info)
with a row for each copy. A copy that has ended starts anew in the step after it, as Gymnasium's `AutoresetMode.NEXT_STEP`
does. Gymnasium itself is not needed; with it, write `class BatchEnvironment(gymnasium.vector.VectorEnv)` and give
`gymnasium.spaces.Box` for `Box`.
"""

import sys
import time

import numpy as np

import koppel as kp


class Box:
    """Numbers between bounds, as gymnasium.spaces.Box."""

    def __init__(self, low, high, shape):
        self.low, self.high = np.broadcast_to(low, shape), np.broadcast_to(high, shape)
        self.shape, self.dtype = tuple(shape), np.dtype(float)

    def contains(self, x):
        return np.shape(x) == self.shape and bool(np.all((x >= self.low) & (x <= self.high)))

    def sample(self, random):
        return random.uniform(self.low, self.high)


class BatchEnvironment:
    """Copies of a mechanism: a subclass says what a start, a reward and an end are."""

    def __init__(self, model, num_envs, *, step, substeps, horizon, observe, scale, jobs=1):
        self.batch = kp.Batch(model, num_envs, step=step, observe=observe, jobs=jobs)
        self.num_envs, self.substeps, self.horizon, self.scale = num_envs, substeps, horizon, np.asarray(scale, float)
        self.single_observation_space = Box(-np.inf, np.inf, (len(observe),))
        self.single_action_space = Box(-1.0, 1.0, self.scale.shape)
        self.observation_space = Box(-np.inf, np.inf, (num_envs, len(observe)))
        self.action_space = Box(-1.0, 1.0, (num_envs, *self.scale.shape))
        self._random, self._age, self._ended = np.random.default_rng(), np.zeros(num_envs, int), np.ones(num_envs, bool)

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.batch.set(**self.starts(self._random))
        self._age[:], self._ended[:] = 0, False
        return self.batch.reset(), {}

    def step(self, actions):
        force = self.offset + self.scale * np.clip(np.asarray(actions, float), -1, 1).reshape(self.num_envs, -1)
        anew = self._ended
        seen = self.batch.step(force, self.substeps)
        if anew.any():
            seen = self.batch.reset(anew)
        self._age = np.where(anew, 0, self._age + 1)
        lost = ~np.isfinite(seen).all(axis=1)
        seen = np.nan_to_num(seen)
        terminated = ~anew & (lost | self.is_over(seen))
        truncated = ~anew & ~terminated & (self._age >= self.horizon)
        self._ended = terminated | truncated
        return seen, np.where(anew, 0.0, self.reward(seen, actions)), terminated, truncated, {}


class CartPole(BatchEnvironment):
    """Keep a pole up; the cart stays within 2.4 m."""

    offset = 0.0

    def __init__(self, num_envs, jobs=1):
        super().__init__(kp.Model.from_yaml("""
name: cart-pole
parameters: {M: 1, m: 0.1, l: 0.5, g: 9.81, tilt: 0}
inputs: [F]
coordinates: {x: 0, phi: {start: tilt}}
kinetic: M*x'^2/2 + m/2*((x' + l*phi'*cos(phi))^2 + (l*phi'*sin(phi))^2)
potential: m*g*l*cos(phi)
generalized_forces: {x: F}
"""), num_envs, step=0.005, substeps=4, horizon=500, observe=["x", "x'", "phi", "phi'"], scale=[10.0], jobs=jobs)

    def starts(self, random):
        return {"tilt": random.uniform(-0.05, 0.05, self.num_envs)}

    def is_over(self, seen):
        return (abs(seen[:, 0]) > 2.4) | (abs(seen[:, 2]) > 0.21)

    def reward(self, seen, actions):
        return np.ones(self.num_envs)


class Crane(BatchEnvironment):
    """Carry a load of 80 to 120 kg to a place 2 to 6 m away and 0 to 2 m higher, and let it hang there quietly.

    The built-in overhead crane: its cable is a constraint, its winch lifts. Actions are the force on the trolley and the
    torque of the winch beside the one that holds 100 kg.
    """

    def __init__(self, num_envs, jobs=1):
        # The goal is a parameter without effect on the motion, so that every copy has its own.
        model = kp.load("overhead_crane")
        super().__init__(model, num_envs, step=0.005, substeps=10, horizon=200, scale=[800.0, 60.0], jobs=jobs,
                         observe=["s", "s'", "x", "x'", "z", "z'", "l", "l'", "x1", "z1"])
        self.offset = np.array([0.0, -100 * 9.81 * 0.1])

    def starts(self, random):
        return {"m": random.uniform(80, 120, self.num_envs), "x1": random.uniform(2, 6, self.num_envs),
                "z1": random.uniform(-4, -2, self.num_envs)}

    def is_over(self, seen):
        return (abs(seen[:, 0] - 3) > 8) | (seen[:, 6] < 0.5) | (seen[:, 6] > 8)

    def reward(self, seen, actions):
        x, vx, z, vz, x1, z1 = seen[:, [2, 3, 4, 5, 8, 9]].T
        return np.exp(-((x - x1) ** 2 + (z - z1) ** 2 + 0.3 * (vx**2 + vz**2)))


def hold_pole(seen):
    """Linear feedback."""
    return np.clip(seen @ [[0.1], [0.2], [3.0], [0.5]], -1, 1)


def carry(seen):
    """Linear feedback: the trolley goes to its place and yields to the swing. Its gains are the best of 150 random ones."""
    s, vs, x, vx, z, vz, l, vl, x1, z1 = seen.T
    force = 490 * (x1 - s) - 590 * vs + 140 * (x - s) - 310 * (vx - vs)
    torque = 420 * (-z1 - l) - 140 * vl
    return np.clip(np.column_stack([force / 800, torque / 60]), -1, 1)


def play(environment, policy, steps, seed=0):
    """Mean reward of a step, and steps of mechanisms a second."""
    seen, _ = environment.reset(seed=seed)
    total, began = 0.0, time.perf_counter()
    for _ in range(steps):
        seen, reward, *_ = environment.step(policy(seen))
        total += reward.mean()
    return total / steps, steps * environment.substeps * environment.num_envs / (time.perf_counter() - began)


random = np.random.default_rng(1)
for kind, policy in ((CartPole, hold_pole), (Crane, carry)):
    environment = kind(4096)
    chance, _ = play(environment, lambda seen: environment.action_space.sample(random), 200)
    value, rate = play(environment, policy, 200)
    print(f"{kind.__name__}: {environment.num_envs} copies, {environment.batch.method}; mean reward {value:.3f}, "
          f"by chance {chance:.3f}; {rate / 1e6:.2f} million steps a second")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    environment = Crane(200)
    seen, _ = environment.reset(seed=3)
    rows = [seen]
    for _ in range(199):
        seen, *_ = environment.step(carry(seen))
        rows.append(seen)
    rows = np.array(rows)
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2))
    t = 0.05 * np.arange(len(rows))
    for axis, value, goal, label in ((axes[0], 2, 8, "x, from its place, in m"), (axes[1], 4, 9, "z, from its place, in m")):
        miss = rows[:, :, value] - rows[:, :, goal]
        axis.fill_between(t, *np.quantile(miss, [0.05, 0.95], axis=1), alpha=0.3)
        axis.plot(t, np.median(miss, axis=1))
        axis.set(xlabel="t in s", ylabel=label)
    figure.savefig(sys.argv[1])
