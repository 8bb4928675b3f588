import { Argument, type Command, Option } from 'commander';
import { CURRENCY } from '../../domain/money.ts';
import { type Asked, asksForReason, payloadTyped, reasonOf, type SendCommand } from '../asked.ts';
import { memberOf } from '../columns.ts';
import json from './commands.json' with { type: 'json' };
import type { Context, Run } from './context.ts';
import { proposeFees } from './fees.ts';
import { childNamed, flagOf } from './lists.ts';
import { segment } from './operator-client.ts';
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
  for (const { action, title, isAlone = false, ...one } of json.actions as DeclaredCommand[]) {
    const said = { ...one, title: `${isAlone ? '' : 'propose: '}${title}`, reason: asksForReason(one.asked) };
    addCommand(program, run, said, (context, payload, typed) => {
      const send = senders[action] ?? propose;
      return send(context, { action, payload, reason: reasonOf(payload, typed) });
    });
  }
  for (const { path, says, ...one } of json.sends as SendCommand[])
    addCommand(program, run, { ...one, reason: false }, async ({ api, print }, { id, ...body }) => {
      const answer = await api.post<object>(path.replace('{id}', segment(String(id))), body);
      const found = { id, ...answer };
      print(says.replace(/\{([\w.]+)\}/g, (_, name: string) => String(memberOf(found, name))));
      if ('late' in answer && answer.late)
        print('Temporal does not answer: the sweep starts the queued event when it answers again');
    });
}

type Typed = Pick<SendCommand, 'command' | 'title' | 'asked'> & { reason: boolean };
type Send = (context: Context, payload: Record<string, unknown>, reason: string | undefined) => Promise<void>;

function addCommand(program: Command, run: Run, one: Typed, send: Send): void {
  const { command, title, asked } = one;
  const words = command.split(' ').filter((word) => !word.startsWith('<'));
  const positional = command.split(' ').flatMap((word) => /^<(.+)>$/.exec(word)?.[1] ?? []);
  const parent = words.slice(0, -1).reduce(childNamed, program);
  const made = parent.command(words.at(-1) ?? '').description(title);
  for (const name of positional) made.addArgument(argumentOf(fieldNamed(asked, name)));
  const options = asked.filter(({ name, kind }) => kind !== 'only' && !positional.includes(name));
  const named = new Map(options.map((one) => [one.name, optionOf(one)]));
  for (const option of named.values()) made.addOption(option);
  const why = new Option('--reason <text>', 'the reason, for the person who approves it');
  if (one.reason) made.addOption(why.makeOptionMandatory());
  made.action(() =>
    run((context) => {
      const given = made.opts<Record<string, string>>();
      const typed = (name: string) => {
        const at = positional.indexOf(name);
        const text = at >= 0 ? made.args[at] : given[named.get(name)?.attributeName() ?? ''];
        return text === undefined ? [] : [text];
      };
      return send(context, payloadTyped(asked, typed), given.reason);
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
  return isChosen(field) ? argument.choices(field.options ?? []) : argument;
}

function optionOf(field: Asked): Option {
  const { name, kind, options = [], isOptional, value } = field;
  const option = new Option(`--${flagIn(name)} <${kind === 'money' ? 'amount' : kind}>`, meaningOf(field));
  if (value !== undefined) option.default(value);
  else option.makeOptionMandatory(!isOptional && kind !== 'list');
  return isChosen(field) ? option.choices(options) : option;
}

const isChosen = ({ kind }: Asked) => kind === 'choice' || kind === 'yes or no';

function meaningOf({ label, hint, kind, options = [], takesNone }: Asked): string {
  const some =
    kind === 'list' ? `: ${options.length > 0 ? `all, none, or some of ${options.join()}` : 'a,b,c'}` : '';
  const more = hint === undefined ? '' : ` (${hint})`;
  return `${label}${kind === 'money' ? `, in ${CURRENCY}` : ''}${some}${takesNone ? ', or none' : ''}${more}`;
}
