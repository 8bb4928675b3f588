import type { To } from './context.ts';
import { segment } from './operator-client.ts';

export function addCommands({ program, run }: To): void {
  program
    .command('days')
    .command('report [day]')
    .description('the report of a day, yesterday when left out, as Markdown')
    .option('--csv', 'as CSV')
    .action((day = 'yesterday', { csv = false }: { csv?: boolean } = {}) =>
      run(async ({ api, write }) => {
        const report = await api.get<{ markdown: string; csv: string }>(`days/${segment(day)}/report`);
        for (const line of (csv ? report.csv : report.markdown).trimEnd().split(/\r?\n/)) write(line);
      }),
    );
}
