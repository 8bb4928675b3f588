import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as echarts from 'echarts';
import type { Figure, Picture } from './load.ts';

/** What a run leaves. Another product's bench may write the same, to be compared on the same machine. */
export type Run = {
  /** changes when a member changes its meaning */
  format: 'malipo-bench/1';
  commit: string;
  /** ISO 8601 */
  began: string;
  machine: { node: string; processors: number; model: string; memoryMiB: number };
  /** over 1, 5 and 15 minutes, as the run began and as it ended */
  load: { before: number[]; after: number[] };
  temporal: 'dev server' | 'server';
  figures: ({ name: string } & Figure)[];
};

export const machine = (): Run['machine'] => ({
  node: process.version,
  processors: os.cpus().length,
  model: os.cpus()[0]?.model ?? '',
  memoryMiB: Math.round(os.totalmem() / 1_048_576),
});

/** Writes `run.json`, one page with the pictures, and each picture as a file, into a folder of its own; returns it. */
export async function writeRun(run: Run, folder: string): Promise<string> {
  const own = path.join(folder, run.began.replaceAll(':', '-'));
  await mkdir(own, { recursive: true });
  await writeFile(path.join(own, 'run.json'), `${JSON.stringify(run, null, 2)}\n`);
  await writeFile(path.join(own, 'index.html'), pageOf(run));
  for (const { name, pictures = [] } of run.figures)
    for (const [at, picture] of pictures.entries())
      await writeFile(path.join(own, `${name}-${at + 1}.svg`), `${drawn(picture)}\n`);
  return own;
}

const escaped = (text: string | number) =>
  String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function pageOf(run: Run): string {
  const { machine: on, load } = run;
  const figures = run.figures.map(
    (figure) =>
      `<h2>${escaped(figure.name)}</h2>\n<p>${escaped(figure.title)}</p>\n${tableOf(figure)}\n${(figure.pictures ?? []).map(drawn).join('\n')}`,
  );
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Malipo bench ${escaped(run.began)}</title>
<style>body{font:15px system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}td,th{padding:.2rem .8rem;text-align:right}td:first-child{text-align:left}</style>
<h1>Malipo bench, ${escaped(run.began)}</h1>
<p>${escaped(run.commit)} on ${on.processors} processors (${escaped(on.model)}), ${on.memoryMiB} MiB, Node ${escaped(on.node)}, Temporal's ${run.temporal}; load ${load.before.join(' ')} before and ${load.after.join(' ')} after. Compare what is in one run.</p>
${figures.join('\n')}
</html>
`;
}

function tableOf({ columns, rows }: Figure): string {
  const line = (cells: readonly (string | number)[], tag: 'td' | 'th') =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>${line(columns, 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`;
}

/** As SVG: a page that needs no script. */
function drawn({ title, axis, unit, places, series, kind }: Picture): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 900, height: 360 });
  chart.setOption({
    animation: false,
    title: { text: title, textStyle: { fontSize: 15 } },
    legend: { bottom: 0 },
    grid: { left: 70, right: 30 },
    xAxis: { type: 'category', name: axis, nameLocation: 'middle', nameGap: 28, data: places },
    yAxis: { type: 'value', name: unit },
    series: series.map(({ name, values }) => ({
      name,
      data: values,
      type: kind === 'lines' ? ('line' as const) : ('bar' as const),
      ...(kind === 'stacked' ? { stack: 'together' } : {}),
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
