function [z, y] = MODEL_simulate(times, u, p, tolerance)
% The states [q; v; x] and the outputs at times that begin with the start, a row each. u is a
% column, or a function of t. Positions and velocities are projected at each of the times.
[~, q, v, x] = MODEL_start(p);
options = odeset('RelTol', tolerance, 'AbsTol', tolerance);
for k = 1:numel(times)
  t = times(k);
  if isa(u, 'function_handle'), input = u(t); else, input = u; end
  if k > 1
    [~, s] = ode45(@(t, z) MODEL_rates(t, z, u, p), [times(k-1), t], z(k-1, :)', options);
    [q, v, x] = MODEL_split(s(end, :)');
    [q, v] = MODEL_project(t, q, v, x, input, p);
  end
  z(k, :) = [q; v; x]';
  y(k, :) = MODEL_outputs(t, q, v, x, input, p)';
end
end
