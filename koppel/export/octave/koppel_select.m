function r = koppel_select(condition, a, b)
% a where the condition is not zero, else b.
if condition ~= 0
  r = a;
else
  r = b;
end
end
