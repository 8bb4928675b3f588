import { type Html, html } from '../../platform/http/html.ts';
import type { Upload } from '../../platform/process/uploads.ts';
import type { Declared, ListCall } from '../list.ts';
import type { CallName, Desk } from './desk.ts';
import { type List, listAt, type More, table } from './list.ts';

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

type ListPage<Name extends ListCall> = Omit<Page, 'show' | 'list' | 'isFor'> & {
  /** what this page adds to the list */
  more?: (desk: Desk) => More<Name>;
  above?: Around;
  below?: Around;
};

/** A list of the table, and what stands above and below it. */
export function listPage<Name extends ListCall>(
  declared: Declared<Name>,
  { more, above, below, ...page }: ListPage<Name>,
): Page {
  const list = (desk: Desk) => listAt(desk, declared, more?.(desk));
  return {
    isFor: (desk) => desk.may(declared.call),
    show: async (desk) => html`${await above?.(desk)}${await table(desk, list(desk))}${await below?.(desk)}`,
    list,
    ...page,
  };
}

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
