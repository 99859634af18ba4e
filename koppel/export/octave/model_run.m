% MODEL_TITLE
% Written by koppel. Runs the model and writes its outputs to MODEL.csv; change what you like.
p = MODEL_parameters();
[t_start, ~, ~, ~, u] = MODEL_start(p); % u may be a function of time, too: @(t) ...
times = linspace(t_start, MODEL_END, MODEL_SAMPLES);
tolerance = MODEL_TOLERANCE;
[z, y] = MODEL_simulate(times, u, p, tolerance);
names = {MODEL_NAMES};
file = fopen('MODEL.csv', 'w');
fprintf(file, 't');
fprintf(file, ',%s', names{:});
fprintf(file, '\n');
fprintf(file, [repmat('%.17g,', 1, size(y, 2)), '%.17g\n'], [times(:), y]');
fclose(file);
% plot(times, y), legend(names)
