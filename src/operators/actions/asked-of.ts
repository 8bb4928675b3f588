import { z } from 'zod';
import type { Asked } from '../asked.ts';

type Node = {
  face?: Face;
  title?: string;
  description?: string;
  type?: string;
  const?: string;
  enum?: string[];
  anyOf?: Node[];
  items?: Node;
  properties?: Record<string, Node>;
  required?: string[];
  default?: unknown;
};

/** `face`, in a field's `meta`, says how people see and type the field. The API documents omit it. */
type Face = {
  unit?: 'shillings' | 'fee';
  isSeen?: true;
  isClear?: true;
  /** the member that people type in the same text, after a colon */
  with?: string;
  /** what a group is called of which one is typed */
  group?: string;
};

/** All members of a group are optional. */
export function askedOf(payload: z.ZodType): Asked[] {
  return membersOf(z.toJSONSchema(payload, { io: 'input', unrepresentable: 'any' }) as Node);
}

function membersOf({ properties = {}, required = [] }: Node, group = ''): Asked[] {
  const together = Object.values(properties).map((node) => node.face?.with);
  return Object.entries(properties).flatMap(([key, node]): Asked[] => {
    if (node.face?.isSeen || together.includes(key)) return [];
    if (node.properties && !node.face?.unit) {
      const one = node.face?.group === undefined ? {} : { group: node.face.group };
      return membersOf(node, `${key}.`).map((field) => ({ ...field, ...one }));
    }
    const name = node.face?.with === undefined ? `${group}${key}` : `${key}:${node.face?.with}`;
    return [fieldOf(name, node, group === '' && required.includes(key))];
  });
}

function fieldOf(name: string, node: Node, isRequired: boolean): Asked {
  const [some, nothing] = node.anyOf ?? [];
  const is = nothing?.type === 'null' && some ? { ...some, ...node } : node;
  const { title, description, face, default: value } = is;
  const hint = face?.unit === undefined && !face?.isClear ? description : undefined;
  return {
    name,
    label: title ?? labelOf(name),
    ...kindOf(is),
    ...(hint !== undefined && { hint }),
    ...(!isRequired && value === undefined && { isOptional: true }),
    ...((is !== node || face?.unit === 'fee') && { takesNone: true }),
    ...(value !== undefined && { value: String(value) }),
  };
}

function kindOf({ type, const: only, enum: options, items, face }: Node): Pick<Asked, 'kind' | 'options'> {
  if (only !== undefined) return { kind: 'only', options: [only] };
  if (items) return { kind: 'list', ...(items.enum && { options: items.enum }) };
  if (options) return { kind: 'choice', options };
  if (face?.unit) return { kind: face.unit === 'fee' ? 'fee' : 'money' };
  if (type === 'boolean') return { kind: 'yes or no', options: ['yes', 'no'] };
  return { kind: type === 'integer' ? 'number' : 'text' };
}

function labelOf(name: string): string {
  const words = (name.split('.').at(-1) ?? name).replace(/_id$/, '').replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
