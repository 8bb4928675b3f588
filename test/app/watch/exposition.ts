/** One line of what a process answers at /metrics. */
export type Sample = { name: string; labels: Record<string, string>; value: number };

/** Every sample of Prometheus's text format. */
export function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', of = '']) => [
        key,
        of,
      ]);
      return { name, labels: Object.fromEntries(pairs), value: Number(value.replace('+Inf', 'Infinity')) };
    });
}

/** The value of the one sample with these labels; undefined where there is none. */
export function sampleOf(
  text: string,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const found = samplesOf(text).filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (found.length > 1) throw new Error(`${found.length} samples of ${name} ${JSON.stringify(labels)}`);
  return found[0]?.value;
}

/** A histogram or summary by its own name, without what its lines add. */
export function familyOf(name: string, text: string): string {
  const own = name.replace(/_(bucket|sum|count)$/, '');
  return text.includes(`# TYPE ${own} histogram`) || text.includes(`# TYPE ${own} summary`) ? own : name;
}
