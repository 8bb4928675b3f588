import type { Column, ViewCommand } from './columns.ts';
import { type Answer, type CallName, type Filter, placeOf, type QueryOf, typedColumns } from './list.ts';

/** `a.b.c` is member c of b of a; a list is one member. */
export type PathIn<Of> = {
  [Name in keyof Of & string]: NonNullable<Of[Name]> extends readonly unknown[]
    ? Name
    : NonNullable<Of[Name]> extends object
      ? `${Name}.${PathIn<NonNullable<Of[Name]>>}`
      : Name;
}[keyof Of & string];
type At<Of, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? At<NonNullable<Of[Head & keyof Of]>, Rest>
  : Of[Path & keyof Of];

/** A list in the answer, shown below the fields if it is not empty. */
type Section<Of> = {
  [Path in PathIn<Of>]: At<Of, Path> extends readonly (infer One extends object)[]
    ? { title: string; of: Path; columns: readonly Column<PathIn<One>>[] }
    : never;
}[PathIn<Of>];

export type View<Name extends CallName> = {
  call: Name;
  command: string;
  filters?: readonly Filter<QueryOf<Name>>[];
  /** text for empty fields, which are left out otherwise */
  none?: string;
  fields: readonly Column<PathIn<Answer<Name>>>[];
  sections?: readonly Section<Answer<Name>>[];
};

/** The desk's page of one noun and the command use the same fields. */
export const view = <const Name extends CallName>({ none, fields, ...declared }: View<Name>): View<Name> => ({
  ...declared,
  fields: none === undefined ? fields : fields.map((field) => ({ none, ...field })),
});

/** Any view, without the types of its answer. */
export type AnyView = Pick<ViewCommand, 'command' | 'fields'> & {
  call: CallName;
  filters?: readonly Filter[];
  sections?: ViewCommand['sections'];
};

export function viewCommandOf({ fields, sections = [], ...declared }: AnyView): ViewCommand {
  const shown = sections.map((one) => ({ ...one, columns: typedColumns(one.columns) }));
  return { ...placeOf(declared), fields: typedColumns(fields), sections: shown };
}
