import { Argument, type Command, Option } from 'commander';
import { CURRENCY } from '../../domain/money.ts';
import { type Asked, asksForReason, payloadTyped, reasonOf } from '../asked.ts';
import json from './commands.json' with { type: 'json' };
import type { Run } from './context.ts';
import { proposeFees } from './fees.ts';
import { childNamed, flagOf } from './lists.ts';
import { propose } from './proposals.ts';

/** `npm run openapi` makes these from the table of actions. */
export type DeclaredCommand = {
  action: string;
  command: string;
  title: string;
  isAlone?: true;
  asked: readonly Asked[];
};

const senders: Record<string, typeof propose> = { 'fees.set': proposeFees };

export function addDeclaredCommands(program: Command, run: Run): void {
  for (const one of json.actions as DeclaredCommand[]) addCommand(program, run, one);
}

function addCommand(program: Command, run: Run, one: DeclaredCommand): void {
  const { action, command, title, isAlone = false, asked } = one;
  const words = command.split(' ').filter((word) => !word.startsWith('<'));
  const positional = command.split(' ').flatMap((word) => /^<(.+)>$/.exec(word)?.[1] ?? []);
  const parent = words.slice(0, -1).reduce(childNamed, program);
  const made = parent.command(words.at(-1) ?? '').description(`${isAlone ? '' : 'propose: '}${title}`);
  for (const name of positional) made.addArgument(argumentOf(fieldNamed(asked, name)));
  const options = asked.filter(({ name, kind }) => kind !== 'only' && !positional.includes(name));
  const named = new Map(options.map((one) => [one.name, optionOf(one)]));
  for (const option of named.values()) made.addOption(option);
  const why = new Option('--reason <text>', 'why, for whoever approves it');
  if (asksForReason(asked)) made.addOption(why.makeOptionMandatory());
  made.action(() =>
    run((context) => {
      const given = made.opts<Record<string, string>>();
      const typed = (name: string) => {
        const at = positional.indexOf(name);
        const text = at >= 0 ? made.args[at] : given[named.get(name)?.attributeName() ?? ''];
        return text === undefined ? [] : [text];
      };
      const payload = payloadTyped(asked, typed);
      const send = senders[action] ?? propose;
      return send(context, { action, payload, reason: reasonOf(payload, given.reason) });
    }),
  );
}

function fieldNamed(asked: readonly Asked[], name: string): Asked {
  const found = asked.find((one) => one.name === name);
  if (!found) throw new Error(`no field ${name}`);
  return found;
}

/** Turns `bank.account_number` into `account-number`. */
const flagIn = (name: string) => flagOf(name.split('.').at(-1) ?? name);

function argumentOf(field: Asked): Argument {
  const argument = new Argument(`<${flagIn(field.name)}>`, meaningOf(field));
  return field.kind === 'choice' ? argument.choices(field.options ?? []) : argument;
}

function optionOf(field: Asked): Option {
  const { name, kind, options = [], isOptional, value } = field;
  const option = new Option(`--${flagIn(name)} <${kind === 'money' ? 'amount' : kind}>`, meaningOf(field));
  if (value !== undefined) option.default(value);
  else option.makeOptionMandatory(!isOptional && kind !== 'list');
  return kind === 'choice' ? option.choices(options) : option;
}

function meaningOf({ label, hint, kind, options = [], takesNone }: Asked): string {
  const some =
    kind === 'list' ? `: ${options.length > 0 ? `all, none, or some of ${options.join()}` : 'a,b,c'}` : '';
  const more = hint === undefined ? '' : ` (${hint})`;
  return `${label}${kind === 'money' ? `, in ${CURRENCY}` : ''}${some}${takesNone ? ', or none' : ''}${more}`;
}
