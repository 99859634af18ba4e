function [q, v] = MODEL_project(t, q, v, x, u, p)
% The nearest positions and velocities that satisfy the constraints, in the metric of M:
%   [ M  C' ] [ d ]   [ 0                ]
%   [ C  0  ] [ * ] = [ -g, -(C v + c)   ],   q + K d by Newton's method, then v + d
kept = MODEL_rows();
n = numel(v);
for k = 1:20
  g = [MODEL_g(t, q, v, x, u, p); zeros(size(MODEL_a(t, q, v, x, u, p), 1), 1)];
  h = MODEL_h(t, q, v, x, u, p);
  violation = max(abs([g(kept); h; 0]));
  if violation < 1e-13, break, end
  d = saddle_matrix(t, q, v, x, u, p, kept) \ [zeros(n, 1); -g(kept)];
  q = q + MODEL_K(t, q, v, x, u, p) * d(1:n);
  if ~isempty(h)
    q = q - pinv(MODEL_h_q(t, q, v, x, u, p)) * MODEL_h(t, q, v, x, u, p);
  end
end
if ~(violation < 1e-9)
  error('MODEL: the constraints cannot be satisfied near here (t = %g)', t);
end
if isempty(kept), return, end
rate = [MODEL_G(t, q, v, x, u, p) * v + MODEL_g_t(t, q, v, x, u, p)
        MODEL_a(t, q, v, x, u, p) * v + MODEL_b(t, q, v, x, u, p)];
d = saddle_matrix(t, q, v, x, u, p, kept) \ [zeros(n, 1); -rate(kept)];
v = v + d(1:n);
end

function A = saddle_matrix(t, q, v, x, u, p, kept)
C = [MODEL_G(t, q, v, x, u, p); MODEL_a(t, q, v, x, u, p)];
A = [MODEL_M(t, q, v, x, u, p), C(kept, :)'; C(kept, :), zeros(numel(kept))];
end
