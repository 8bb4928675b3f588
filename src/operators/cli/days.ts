import type { To } from './context.ts';
import { segment } from './operator-client.ts';

export function addCommands({ program, run }: To): void {
  program
    .command('days')
    .command('report [day]')
    .description('print the report of a day (default: yesterday) as Markdown')
    .option('--csv', 'as CSV instead')
    .action((day = 'yesterday', { csv = false }: { csv?: boolean } = {}) =>
      run(async ({ api, write }) => {
        const report = await api.get<{ markdown: string; csv: string }>(`days/${segment(day)}/report`);
        for (const line of (csv ? report.csv : report.markdown).trimEnd().split(/\r?\n/)) write(line);
      }),
    );
}
