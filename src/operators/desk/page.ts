import { type Html, html } from '../../platform/http/html.ts';
import type { Upload } from '../../platform/process/uploads.ts';
import type { CallName, Desk } from './desk.ts';
import { type List, table } from './list.ts';

export const menuGroups = ['Today', 'Money', 'Books', 'Merchants', 'Service'] as const;
export type MenuGroup = (typeof menuGroups)[number];

export type Page = {
  /** below /desk; `{id}` is the subject of the page */
  path: string;
  title: string | ((desk: Desk) => string);
  /** place in the menu, for people who pass `isFor` */
  menu?: readonly [group: MenuGroup, words: string];
  isFor?(desk: Desk): boolean;
  show(desk: Desk): Promise<Html>;
  list?(desk: Desk): List | Promise<List>;
  /** Handlers by the form's `act`. Each returns the next address, or a page. */
  acts?: Record<string, Act>;
  /** the call that takes the file; people who may not make it cannot upload */
  takesFile?: CallName;
};

type Around = (desk: Desk) => Html | null | Promise<Html | null>;

/** A table, and what stands above and below it. */
export const listPage = (
  name: CallName,
  list: NonNullable<Page['list']>,
  { above, below, ...page }: Omit<Page, 'show' | 'list' | 'isFor'> & { above?: Around; below?: Around },
): Page => ({
  isFor: (desk) => desk.may(name),
  show: async (desk) =>
    html`${await above?.(desk)}${await table(desk, await list(desk))}${await below?.(desk)}`,
  list,
  ...page,
});

export type Act = (desk: Desk, form: Form) => Promise<string | Html>;

/** An empty field is undefined. */
export type Form = {
  get(name: string): string | undefined;
  all(name: string): string[];
  file: Upload | null;
};

export function formOf({ typed, file }: { typed: URLSearchParams; file: Upload | null }): Form {
  const all = (name: string) =>
    typed
      .getAll(name)
      .map((value) => value.trim())
      .filter((value) => value !== '');
  return { all, file, get: (name) => all(name)[0] };
}
