import { attentionGuides, pageOf } from '../../domain/attention.ts';
import { type Situation, situationOf } from '../../domain/situation.ts';
import { kindOf } from '../../domain/transaction.ts';
import { oddMoneySentence } from './odd-money.ts';
import { DONE, stories } from './stories.ts';
import { type Facts, type Story, wordsOf } from './words.ts';

/** The sentences have no full stop. `money` says where the money is, in order. */
export type Explanation = { situation: Situation; state: string; money: string[]; next: string[] };

export function explain(facts: Facts): Explanation {
  const { money } = kindOf(facts.transaction);
  const situation = situationOf(facts);
  // `situationOf` returns only situations of this row.
  const story = (stories[money] as Record<Situation, Story>)[situation];
  const words = wordsOf(facts);
  const todo = facts.reasons.map((reason) => `${attentionGuides[reason].todo} (${pageOf(reason)})`);
  return {
    situation,
    state: story.state(words),
    money: [story.money(words), ...facts.odd.map(oddMoneySentence)],
    next: story.next === DONE && todo.length > 0 ? todo : [story.next(words), ...todo],
  };
}
