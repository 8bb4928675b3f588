/** A node of a plan, as EXPLAIN (VERBOSE, FORMAT JSON) writes it. */
export type Plan = {
  'Node Type': string;
  'Join Type'?: string;
  'Parent Relationship'?: string;
  'Subplan Name'?: string;
  'CTE Name'?: string;
  'Relation Name'?: string;
  Alias?: string;
  Strategy?: string;
  Filter?: string;
  'One-Time Filter'?: string;
  Output?: string[];
  Plans?: Plan[];
};

export type Known = {
  /** whether a relation's column is NOT NULL */
  isNotNull(relation: string, column: string): boolean;
  /** a partition's table; any other relation is its own */
  tableOf(relation: string): string;
};

const SET_OPERATION = /\b(UNION|INTERSECT|EXCEPT|ROLLUP|CUBE|GROUPING\s+SETS)\b/i;

/**
 * Which columns of a statement's rows can be null, by their number. Whatever is not certain can be: a column that an outer
 * join may empty, what a set operation gives, any expression that is not plainly a value.
 */
export function nullability(text: string, plan: Plan, known: Known) {
  const aliases = new Map<string, string>();
  const emptied = new Set<string>();
  const emptiedCtes = new Set<string>();
  let hasOuterJoin = false;

  function walk(node: Plan, isEmptied: boolean): void {
    const alias = node.Alias ?? node['Relation Name'];
    const relation = node['Relation Name'];
    if (alias && relation) aliases.set(alias, known.tableOf(relation));
    if (alias && isEmptied) emptied.add(alias);
    if (node['CTE Name'] && isEmptied) emptiedCtes.add(node['CTE Name']);
    for (const child of node.Plans ?? []) {
      const cte = /^CTE (.*)$/.exec(node['Subplan Name'] ?? '')?.[1];
      const ofCte = /^CTE (.*)$/.exec(child['Subplan Name'] ?? '')?.[1] ?? cte;
      const empties = emptiesChild(node, child);
      hasOuterJoin ||= empties;
      walk(child, isEmptied || empties || (ofCte !== undefined && emptiedCtes.has(ofCte)));
    }
  }
  // Until nothing more is found: a plan names a common table before it reads it.
  for (let before = -1; before !== emptiedCtes.size; ) {
    before = emptiedCtes.size;
    walk(plan, false);
  }

  const isCertain = !SET_OPERATION.test(text);
  const column = (alias: string, name: string) => {
    const relation = aliases.get(alias);
    return relation !== undefined && !emptied.has(alias) && known.isNotNull(relation, name);
  };
  return {
    /** by what the plan says that it puts out */
    isNeverNull: (at: number) => {
      const output = plan.Output?.[at];
      return isCertain && output !== undefined && isValue(output, { column, canRefer: !hasOuterJoin });
    },
    /** of a column that comes from this table, wherever in the statement: no outer join may empty it there */
    isAlwaysThere: (table: string) => {
      const uses = [...aliases].filter(([, relation]) => relation === table);
      return isCertain && uses.length > 0 && uses.every(([alias]) => !emptied.has(alias));
    },
    hasOneRow: isOneRow(plan),
  };
}

function emptiesChild(node: Plan, child: Plan): boolean {
  const side = child['Parent Relationship'];
  switch (node['Join Type']) {
    case 'Full':
      return side === 'Inner' || side === 'Outer';
    case 'Left':
    case 'Anti':
      return side === 'Inner';
    case 'Right':
    case 'Right Anti':
      return side === 'Outer';
    default:
      return false;
  }
}

/** A total of everything is one row whatever there is, and so is what reads no table. */
function isOneRow(plan: Plan): boolean {
  const type = plan['Node Type'];
  if (type === 'Aggregate') return plan.Strategy === 'Plain' && !plan.Filter;
  const reads = plan.Plans?.some((child) => child['Parent Relationship'] === 'Outer');
  return type === 'Result' && !plan['One-Time Filter'] && !plan.Filter && !reads;
}

type Scope = { column: (alias: string, name: string) => boolean; canRefer: boolean };

const ALWAYS = new Set(
  'count now clock_timestamp json_build_object jsonb_build_object pg_current_xact_id EXISTS'.split(' '),
);
const OPERATOR = / (?:AND|OR|IS|\+|-|\*|=|<>|<|<=|>|>=) /;
const COLUMN = /^"?(\w+)"?\."?(\w+)"?$/;
const LITERAL = /^('([^']|'')*'|-?\d+(\.\d+)?|true|false|CURRENT_TIMESTAMP)$/;

/** Whether an expression, as Postgres writes it, is a value in every row. */
function isValue(text: string, scope: Scope): boolean {
  const uncast = /^(.*)::[\w ]+(\(\d+\))?(\[\])?$/s.exec(text)?.[1];
  if (uncast && (wrapsWhole(uncast) || LITERAL.test(uncast) || COLUMN.test(uncast)))
    return isValue(uncast, scope);
  if (wrapsWhole(text)) {
    const inner = text.slice(1, -1);
    // Brackets are around an operator, or around what a lower node made: an outer join may have emptied that since.
    const isOperator = split(inner, OPERATOR).length > 1 || inner.startsWith('NOT ');
    return (scope.canRefer || isOperator) && isValue(inner, scope);
  }
  if (LITERAL.test(text)) return true;
  const [, alias, name] = COLUMN.exec(text) ?? [];
  if (alias && name) return scope.column(alias, name);
  const [, called = '', given = ''] = /^(\w+)(\(.*\))$/s.exec(text) ?? [];
  if (wrapsWhole(given)) {
    const some = split(given.slice(1, -1), /, /).some((part) => isValue(part, scope));
    return ALWAYS.has(called) || (/^(COALESCE|GREATEST|LEAST)$/.test(called) && some);
  }
  if (text.startsWith('NOT ')) return isValue(text.slice(4), scope);
  if (split(text, / (?:AND|OR) /).length === 1 && / IS (NOT )?NULL$| IS DISTINCT FROM /.test(text))
    return true;
  const parts = split(text, OPERATOR);
  return parts.length > 1 && parts.every((part) => isValue(part, scope));
}

function wrapsWhole(text: string): boolean {
  return text.startsWith('(') && text.endsWith(')') && !split(text, /\)/).slice(0, -2).length;
}

/** Parts between separators that are in no brackets and no quotes. */
export function split(text: string, separator: RegExp): string[] {
  let shown = '';
  let depth = 0;
  let quoted = false;
  for (const letter of text) {
    if (letter === "'") quoted = !quoted;
    if (!quoted && letter === ')') depth -= 1;
    shown += quoted || depth > 0 ? '\0' : letter;
    if (!quoted && letter === '(') depth += 1;
  }
  const parts: string[] = [];
  let from = 0;
  for (const match of shown.matchAll(new RegExp(separator, 'g'))) {
    parts.push(text.slice(from, match.index));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)];
}
