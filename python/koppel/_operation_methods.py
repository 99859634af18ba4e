"""The methods of Model that run it, with the options of the program's own tables. Written by koppel_reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Sequence, Union

if TYPE_CHECKING:
    from ._reports import Budget, Check
    from ._run import Run

Progress = Union[bool, Callable[[float, float], Any], None]


class OperationMethods:
    """Runs, forward and inverse, and what is asked beside them."""

    def _simulate(self, given: Dict[str, Any]) -> Run:
        raise NotImplementedError

    def _inverse(self, given: Dict[str, Any]) -> Run:
        raise NotImplementedError

    def _check(self, given: Dict[str, Any]) -> Check:
        raise NotImplementedError

    def _budget(self, given: Dict[str, Any]) -> Budget:
        raise NotImplementedError

    def simulate(
        self,
        end: Optional[float] = None,
        *,
        coordinates: Optional[str] = None,
        formulation: Optional[str] = None,
        projection: Optional[str] = None,
        integrator: Optional[str] = None,
        jacobian: Optional[str] = None,
        updates: Optional[str] = None,
        stiff: Optional[str] = None,
        baumgarte: Optional[float] = None,
        step: Optional[float] = None,
        tolerance: Optional[float] = None,
        order: Optional[int] = None,
        samples: Union[int, str, Sequence[float], None] = None,
        health: Union[float, str, None] = None,
        reactions: Optional[str] = None,
        derivatives: Optional[int] = None,
        native: Optional[str] = None,
        tol: Optional[float] = None,
        progress: Progress = None,
    ) -> Run:
        """The motion from the start on.

        Args:
            end: End time, s (default: the model's, or 10)
            coordinates: absolute, cardan, joint, natural, directors; lagrange for models without
                bodies
            formulation: auto, index3, index2, index1, baumgarte, baumgarte2, ggl, minimal,
                explicit, implicit, partition, qr, svd
            projection: Projection onto the constraints after each step: none, once, full (default)
            integrator: auto, taylor, radau5, ida, cvode, dop853, rk4, implicit-euler, midpoint,
                generalized-alpha, energy-momentum, variational, bdf2, bdf3, bdf4, bdf5,
                explicit-euler, linear-implicit, rosenbrock, rattle; fixed-cost chooses one with
                fixed-cost steps
            jacobian: Jacobian of linear-implicit: exact (default), J1, J2, J3
            updates: Order of updates in linear-implicit and explicit-euler: positions-first
                (default), velocities-first, new-positions
            stiff: Forces that linear-implicit and rosenbrock treat implicitly, by name; all
                (default, unless the model says otherwise), or auto: those that stability requires
            baumgarte: Baumgarte parameter times the step (default: 0.2)
            step: Fixed step, s
            tolerance: Error tolerance of a step (default: 1e-8)
            order: Order of Taylor series (default: from the tolerance)
            samples: Number of equally spaced rows (default: 1001), or 'steps' for one per step
            health: Relax the limits of a healthy run by this factor, or 'off'
            reactions: Add columns for joint forces and torques, in world axes (default) or the
                joint's axes
            derivatives: Add columns for the time derivatives of the outputs, up to this order
            native: What evaluates the equations: jit, machine code made at once; cc, the C
                compiler; off, the interpreter; auto (default): jit where it pays and the system
                allows it
            tol: short for tolerance
            progress: True shows a bar; or called with the time reached and the end, False stops the
                run

        Raises:
            Error: the model or an option is wrong
            Failed: the run did not come to its end; what was reached is in its ``run``
            Interrupted: by Ctrl-C; likewise

        A result that should not be trusted is warned of (:class:`Doubtful`). The times of rows may be a list:
        ``samples=[0, 0.5, 2]``.
        """
        return self._simulate({key: value for key, value in locals().items() if key != "self"})

    def inverse(
        self,
        end: Optional[float] = None,
        *,
        coordinates: Optional[str] = None,
        method: Optional[str] = None,
        integrator: Optional[str] = None,
        step: Optional[float] = None,
        tolerance: Optional[float] = None,
        samples: Union[int, str, Sequence[float], None] = None,
        verify: bool = False,
        bounded: bool = False,
        health: Union[float, str, None] = None,
        across_jumps: bool = False,
        native: Optional[str] = None,
        feedback: Optional[str] = None,
        plant: Optional[Dict[str, float]] = None,
        disturb: Optional[Dict[str, float]] = None,
        progress: Progress = None,
    ) -> Run:
        """The inputs that make the outputs follow their references (``servo``).

        Args:
            end: End time, s (default: the model's, or 10)
            coordinates: absolute, cardan, joint, natural, directors; lagrange for models without
                bodies
            method: auto (default), flat, projection, projection:null-space, minimal-extension,
                minimal-extension:twice
            integrator: Integrator of projection and minimal-extension: implicit-euler (default),
                bdf2, bdf3, bdf4, bdf5, radau5, midpoint; of internal dynamics: taylor (default),
                radau5
            step: Fixed step, s (default: duration/100)
            tolerance: Error tolerance of integrated internal dynamics (default: 1e-10)
            samples: Number of equally spaced rows (default: 1001)
            verify: Simulate with the computed inputs and compare the outputs
            bounded: Compute the bounded solution of unstable internal dynamics
            health: Relax the limits of a healthy run by this factor, or 'off'
            across_jumps: Continue where a reference is not smooth enough to be followed
            native: What evaluates the equations: jit, machine code made at once; cc, the C
                compiler; off, the interpreter; auto (default): jit where it pays and the system
                allows it
            feedback: simulate with tracking feedback too: 'lqr' or 'pd'
            plant: parameters of the mechanism that are different from what the inputs were computed
                for
            disturb: changes of the start; the errors are in ``run.summary["feedback"]``
            progress: True shows a bar; or called with the time reached and the end, False stops the
                run
        """
        return self._inverse({key: value for key, value in locals().items() if key != "self"})

    def check(
        self,
        *,
        coordinates: Optional[str] = None,
        statics: bool = False,
        modes: bool = False,
        at: Optional[str] = None,
        period: Optional[float] = None,
        motion: bool = False,
    ) -> Check:
        """What the model consists of, its freedoms and index, redundant constraints and its start; on
        request its static equilibrium, its modes and its motion.

        >>> import koppel
        >>> koppel.load("slider_crank").check().dof
        1

        Args:
            coordinates: absolute, cardan, joint, natural, directors; lagrange for models without
                bodies
            statics: Find the static equilibrium near the start
            modes: Print frequencies, damping and mode shapes about the equilibrium near the start
                or, where the start moves, about its steady motion
            at: With modes: about rest (the equilibrium near the start), or about a steady or
                periodic motion
            period: With at periodic: the period, s (default: found from the motion)
            motion: Move along the drives, or the only freedom, and look for singular poses
        """
        return self._check({key: value for key, value in locals().items() if key != "self"})

    def budget(
        self,
        step: float,
        *,
        coordinates: Optional[str] = None,
        formulation: Optional[str] = None,
        projection: Optional[str] = None,
        integrator: Optional[str] = None,
        jacobian: Optional[str] = None,
        updates: Optional[str] = None,
        stiff: Optional[str] = None,
        baumgarte: Optional[float] = None,
    ) -> Budget:
        """What a fixed-cost step costs, and which steps are stable, before anything runs.

        Args:
            step: Fixed step, s
            coordinates: absolute, cardan, joint, natural, directors; lagrange for models without
                bodies
            formulation: auto, index3, index2, index1, baumgarte, baumgarte2, ggl, minimal,
                explicit, implicit, partition, qr, svd
            projection: Projection onto the constraints after each step: none, once, full (default)
            integrator: auto, taylor, radau5, ida, cvode, dop853, rk4, implicit-euler, midpoint,
                generalized-alpha, energy-momentum, variational, bdf2, bdf3, bdf4, bdf5,
                explicit-euler, linear-implicit, rosenbrock, rattle; fixed-cost chooses one with
                fixed-cost steps
            jacobian: Jacobian of linear-implicit: exact (default), J1, J2, J3
            updates: Order of updates in linear-implicit and explicit-euler: positions-first
                (default), velocities-first, new-positions
            stiff: Forces that linear-implicit and rosenbrock treat implicitly, by name; all
                (default, unless the model says otherwise), or auto: those that stability requires
            baumgarte: Baumgarte parameter times the step (default: 0.2)
        """
        return self._budget({key: value for key, value in locals().items() if key != "self"})
