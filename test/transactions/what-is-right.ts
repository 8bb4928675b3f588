import { type Books, type Kind, OTHER, type Pair, SHILLINGS, type Word } from './pairs.ts';

/** Which pairs of words there are, and what the books have to say after each: the table that the tests of pairs are made from. */

const channel = (receipt: string | null, amount = SHILLINGS): Word => ({
  by: 'channel',
  receipt,
  isOurs: true,
  amount,
});
const people = (receipt: string | null): Word => ({
  by: 'people',
  receipt,
  isOurs: receipt === null,
  amount: SHILLINGS,
});
const line = (receipt: string | null, isOurs: boolean, amount = SHILLINGS): Word => ({
  by: 'line',
  receipt,
  isOurs,
  amount,
});
const words = [
  channel('R1'),
  channel('R1', OTHER),
  channel('R2'),
  channel(null),
  line('R1', true),
  line('R1', false),
  line('R2', true),
  line('R2', false),
  line(null, true),
  line('R1', true, OTHER),
  line('R1', false, OTHER),
  line('R2', true, OTHER),
  line(null, true, OTHER),
  people(null),
  people('R1'),
  people('r-1'),
  people('R2'),
];

/** Why it is no pair. */
function leftOut(kind: Kind, { first, second, isReleased }: Pair): string | null {
  for (const { by, receipt } of [first, second]) {
    if (by === 'channel' && receipt === null && kind.name === 'withdrawal, and a bank payout')
      return 'that is a pair of bank payouts';
    if (by === 'channel' && receipt === null && kind.told !== 'answer') return 'a door names its receipt';
    if (by === 'people' && kind.told === 'door') return 'nobody decides what a customer pays';
    if (by === 'people' && (receipt === null) === (kind.told === 'typed'))
      return 'people type a number of the bank, or decide without one';
  }
  if (first.by === 'line' && second.by === 'line') return 'lines of one account are told by its own chain';
  if (isReleased && first.by !== 'line') return 'only the item of a line is released in between';
  if (kind.told === 'typed') return null;
  if (first.by === 'people' && second.by === 'people') return 'people decide once';
  if (second.by === 'people' && first.by === 'channel' && first.amount === SHILLINGS)
    return 'nothing is to be decided';
  if (second.by === 'people' && (isReleased || first.amount !== SHILLINGS))
    return 'beside such an item two people are refused (decisions.test.ts)';
  return null;
}

/** The pairs of a kind, and how many are left out for which reason. */
export function pairsOf(kind: Kind): { pairs: Pair[]; out: Map<string, number> } {
  const [pairs, out] = [[] as Pair[], new Map<string, number>()];
  for (const first of words)
    for (const second of words)
      for (const isReleased of [false, true]) {
        const pair = { first, second, isReleased };
        const reason = leftOut(kind, pair);
        if (reason === null) pairs.push(pair);
        else out.set(reason, (out.get(reason) ?? 0) + 1);
      }
  return { pairs, out };
}

export const said = ({ first, second, isReleased }: Pair) =>
  `${saidBy(first)}; ${isReleased ? 'released; ' : ''}then ${saidBy(second)}`;
const saidBy = ({ by, receipt, isOurs, amount }: Word) =>
  [by, receipt ?? 'no receipt', ...(by === 'line' && isOurs ? ['our reference'] : []), amount].join(' ');

/** Real money that moved. `booked`: of it, what whoever has it was given; null: it is in suspense. */
type Movement = Word & { booked: number | null; isShown: boolean };

const plain = (receipt: string | null) => receipt?.toUpperCase() ?? null;
/** As what people type is compared beside that, which only refuses it; a line finds it so, too. */
const loose = (receipt: string | null) => plain(receipt)?.replace('-', '') ?? null;

/** Whether a word is about this movement: by its receipt; or as ours, where one of them has none. */
function isAbout(moved: Movement, word: Word, kind: Kind): boolean {
  const isTyped = word.by === 'people' || (moved.by === 'people' && word.by === 'line');
  const its = isTyped ? loose : plain;
  if (moved.receipt !== null && its(moved.receipt) === its(word.receipt)) return true;
  if (!moved.isOurs || !word.isOurs) return false;
  // Another amount is another movement, but for a line of what is asked for once.
  if ((word.by !== 'line' || kind.isStanding) && moved.amount !== word.amount) return false;
  // Banks number a payout anew in their statements.
  const isNumberedAnew = kind.isBank && kind.sign < 0 && (word.by === 'line') !== moved.isShown;
  return moved.receipt === null || word.receipt === null || isNumberedAnew;
}

/** Whether another amount under its receipt may have moved: what a statement shows of our transaction is proven. */
const isBelieved = ({ isShown }: Movement, kind: Kind) => kind.told === 'door' || kind.isStanding || !isShown;

/** `isReleasedLast`: the second word came before the release. What is right after both words: whether it moved once or twice, which way, and who has it now. */
export function rightOf(kind: Kind, { first, second, isReleased }: Pair, isReleasedLast = false): Books {
  const moved: Movement[] = [];
  let hasIts = false;
  const takes = (word: Word) => {
    if (word.by === 'people') return true;
    if (kind.isStanding) return !kind.isNobodys;
    return !hasIts && word.amount === SHILLINGS;
  };
  const hear = (word: Word) => {
    const { by, amount } = word;
    const its = moved.find((one) => isAbout(one, word, kind));
    const isEnding = by === 'channel' || kind.told !== 'typed';
    const isOtherwise = by === 'channel' && its !== undefined && its.amount !== amount;
    if (its === undefined || (isOtherwise && isBelieved(its, kind))) {
      const isTaken = by !== 'line' && its === undefined && takes(word);
      moved.push({ ...word, booked: isTaken ? amount : null, isShown: by === 'line' });
      hasIts ||= isTaken && isEnding;
    } else if (by === 'line') {
      its.amount = amount;
      its.isShown = true;
    } else if (kind.told === 'typed' && by === 'people') {
      // It is refused: its number is known.
    } else if (its.booked === null && its.amount === amount && takes(word)) {
      its.booked = amount;
      hasIts ||= isEnding;
    }
  };
  hear(first);
  const [its] = moved;
  const release = () => {
    if (isReleased && its?.booked === null) its.booked = its.amount;
  };
  if (!isReleasedLast) release();
  hear(second);
  release();
  const sum = (of: (one: Movement) => number) => moved.reduce((total, one) => total + kind.sign * of(one), 0);
  return {
    theirs: sum(({ amount }) => amount),
    suspense: sum(({ amount, booked }) => amount - (booked ?? 0)),
    status: kind.status === null ? null : hasIts ? kind.status : 'pending',
  };
}
