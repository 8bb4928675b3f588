import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What a process and all that it started used of the processors, in seconds; null where the system has no /proc. */
export function processorSeconds(pid: number): number | null {
  const processes = readProcesses();
  if (processes === null) return null;
  let ticks = 0;
  const family = new Set([pid]);
  // A set that grows while it is walked is walked to its new end.
  for (const member of family) {
    ticks += processes.get(member)?.ticks ?? 0;
    for (const [child, { parent }] of processes) if (parent === member) family.add(child);
  }
  return ticks / ticksPerSecond();
}

type Process = { parent: number; ticks: number };

/** The ticks of each include those of its children that ended. */
function readProcesses(): Map<number, Process> | null {
  try {
    const ids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return new Map(ids.flatMap((id) => readProcess(id) ?? []));
  } catch {
    return null;
  }
}

function readProcess(id: number): [[number, Process]] | null {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8');
    // The name of the program stands in parentheses and may have spaces; the state is the first word behind it.
    const words = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [parent, ticks] = [
      Number(words[1]),
      words.slice(11, 15).reduce((sum, word) => sum + Number(word), 0),
    ];
    return [[id, { parent, ticks }]];
  } catch {
    return null; // it ended meanwhile
  }
}

let ticks: number | undefined;
function ticksPerSecond(): number {
  ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return ticks;
}
