import type { Html } from '../../platform/http/html.ts';
import type { Upload } from '../../platform/process/uploads.ts';
import type { CallName, Desk } from './desk.ts';
import { type List, table } from './list.ts';

export const menuGroups = ['Today', 'Money', 'Books', 'Merchants', 'Service'] as const;
export type MenuGroup = (typeof menuGroups)[number];

export type Page = {
  /** below /desk; `{id}` is what the page is about */
  path: string;
  title: string | ((desk: Desk) => string);
  /** its group and words in the menu, for those whom `isFor` lets see it there */
  menu?: readonly [group: MenuGroup, words: string];
  isFor?(desk: Desk): boolean;
  show(desk: Desk): Promise<Html>;
  list?(desk: Desk): List | Promise<List>;
  /** The form names its act, which returns the next address, or a page to show instead. */
  acts?: Record<string, Act>;
  /** the call that takes the file of its forms: who may not call it sends none */
  takesFile?: CallName;
};

export const listPage = (
  name: CallName,
  list: NonNullable<Page['list']>,
  page: Omit<Page, 'show' | 'list' | 'isFor'> & Partial<Pick<Page, 'show'>>,
): Page => ({
  isFor: (desk) => desk.may(name),
  show: async (desk) => table(desk, await list(desk)),
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
