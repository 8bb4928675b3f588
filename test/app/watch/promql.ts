const KEYWORDS = new Set('by without on ignoring group_left group_right and or unless bool'.split(' '));
/** What Prometheus adds to every sample. */
export const ADDED_LABELS = new Set(['instance', 'job']);

/** The metrics that an expression reads, each with the labels that it names in braces; and those that it groups by. */
export function readBy(expr: string): { metrics: { name: string; labels: string[] }[]; grouped: string[] } {
  const grouped: string[] = [];
  const rest = expr
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right) *\(([^)]*)\)/g, (_, list: string) => {
      grouped.push(...list.split(',').map((label) => label.trim()));
      return ' ';
    })
    .replaceAll(/\[[^\]]*\]/g, ' ');
  const metrics = [...rest.matchAll(/([a-zA-Z_:][\w:]*)(?:\{([^}]*)\})?(?! *\()/g)]
    // Back-tracking must not cut the name of a function short.
    .filter((match) => !/^[\w:]* *\(/.test(rest.slice((match.index ?? 0) + match[0].length)))
    .filter(([, name = '']) => !KEYWORDS.has(name))
    .map(([, name = '', selector = '']) => ({
      name,
      labels: [...selector.matchAll(/(\w+) *(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    }));
  return { metrics, grouped };
}
