function [z_rate, lambda] = MODEL_rates(t, z, u, p)
% The rates of z = [q; v; x], and the multipliers of [g; a]. u is a column, or a function of t.
%   [ M  C' ] [ v'     ]   [  f              ]
%   [ C  0  ] [ lambda ] = [ -[gamma; alpha] ],   C = [G; a],   q' = K v,   x' = r
if isa(u, 'function_handle'), u = u(t); end
[q, v, x] = MODEL_split(z);
kept = MODEL_rows();
n = numel(v);
C = [MODEL_G(t, q, v, x, u, p); MODEL_a(t, q, v, x, u, p)];
gamma = [MODEL_gamma(t, q, v, x, u, p); MODEL_alpha(t, q, v, x, u, p)];
A = [MODEL_M(t, q, v, x, u, p), C(kept, :)'; C(kept, :), zeros(numel(kept))];
s = A \ [MODEL_f(t, q, v, x, u, p); -gamma(kept)];
lambda = zeros(size(C, 1), 1);
lambda(kept) = s(n+1:end);
z_rate = [MODEL_K(t, q, v, x, u, p) * v; s(1:n); MODEL_r(t, q, v, x, u, p)];
if ~isreal(z_rate) || ~all(isfinite(z_rate))
  error('MODEL: no rates at t = %g: a matrix is singular, or a function leaves its domain', t);
end
end
