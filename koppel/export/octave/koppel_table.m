function y = koppel_table(table, m, x)
% The m-th derivative (0 <= m <= 3) of a piecewise polynomial at x.
% table.x are n ascending breakpoints, table.c has n + 1 rows of four coefficients: before the
% first breakpoint, between each and the next, after the last. A breakpoint belongs to the piece
% on its right. With u = x - (the breakpoint on the left; of the first piece the first one),
% a piece is c0 + c1 u + c2 u^2 + c3 u^3.
low = 0;
high = numel(table.x); % the number of breakpoints <= x lies in [low, high]
while low < high
  middle = low + floor((high - low) / 2);
  if table.x(middle + 1) <= x
    low = middle + 1;
  else
    high = middle;
  end
end
u = x - table.x(max(low, 1));
c = table.c(low + 1, :);
switch m
  case 0
    y = c(1) + u * (c(2) + u * (c(3) + u * c(4)));
  case 1
    y = c(2) + u * (2 * c(3) + u * (3 * c(4)));
  case 2
    y = 2 * c(3) + u * (6 * c(4));
  otherwise
    y = 6 * c(4) + 0 * u;
end
end
