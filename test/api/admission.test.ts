import assert from 'node:assert/strict';
import { type Admission, admitted, createAdmission } from '../../src/api/kit/admission.ts';
import type { Flows } from '../../src/api/kit/flows.ts';
import type { Submission } from '../../src/domain/operation.ts';

/**
 * A service that answers so many submissions a second, in turn, for clients who ask whenever it is their time and wait
 * 8 s. `asking`: an account and how often it asks in a second.
 */
type Waiting = { since: number; account: string; leave: (answered: boolean) => void; gone: boolean };

/** What has a place at once; null where it waits or is refused. */
async function enterNow(admission: Admission, account: string, how = {}) {
  const place = await Promise.race([admission.enter(account, how), tick().then(() => null)]);
  return place && 'afterSeconds' in place ? null : place;
}

function leaveOf(place: Awaited<ReturnType<Admission['enter']>> | undefined): (answered: boolean) => void {
  assert.ok(place && !('afterSeconds' in place), JSON.stringify(place));
  return place;
}

/** Until what was promised is done. */
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

async function play(
  admission: Admission,
  { clock, waiting }: { clock: { ms: number }; waiting: Waiting[] },
  options: { seconds: number; servedPerSecond: number; asking: Record<string, number> },
) {
  const { seconds, servedPerSecond, asking } = options;
  const counts = { asked: 0, refused: 0, answered: 0, unknown: 0 };
  const of: Record<string, { asked: number; refused: number; slowest: number }> = {};
  const end = clock.ms + seconds * 1_000;
  const owed: Record<string, number> = {};
  let capacity = 0;
  for (; clock.ms < end; clock.ms += 10) {
    for (const [account, perSecond] of Object.entries(asking)) {
      owed[account] = (owed[account] ?? 0) + perSecond / 100;
      for (; (owed[account] ?? 0) >= 1; owed[account] = (owed[account] ?? 0) - 1) {
        of[account] ??= { asked: 0, refused: 0, slowest: 0 };
        const own = of[account];
        own.asked += 1;
        counts.asked += 1;
        const since = clock.ms;
        void admission.enter(account).then((leave) => {
          if ('afterSeconds' in leave) {
            own.refused += 1;
            counts.refused += 1;
          } else waiting.push({ since, account, leave, gone: false });
        });
      }
    }
    await tick();
    for (const one of waiting)
      if (!one.gone && clock.ms - one.since >= 8_000) {
        one.gone = true;
        one.leave(false);
        counts.unknown += 1;
      }
    // What nobody waits for any more is served all the same: it was sent.
    for (capacity += servedPerSecond / 100; capacity >= 1 && waiting.length > 0; capacity -= 1) {
      const one = waiting.shift();
      if (!one || one.gone) continue;
      one.leave(true);
      counts.answered += 1;
      const own = of[one.account];
      if (own) own.slowest = Math.max(own.slowest, clock.ms - one.since);
    }
    capacity = Math.min(capacity, 1);
  }
  return { ...counts, of };
}

describe('the admission of submissions', () => {
  const clock = { ms: 0 };
  let service: { clock: { ms: number }; waiting: Waiting[] };
  const create = () => {
    service = { clock, waiting: [] };
    return createAdmission(() => clock.ms);
  };

  it('takes a burst as it comes, lets the rest of it wait, and refuses what is far beyond it', async () => {
    const admission = create();
    const places = Array.from({ length: 300 }, () => admission.enter('a'));
    await tick();
    assert.deepEqual(admission.state(), { limit: 64, inFlight: 64, waiting: 64, refused: 172 });
    const [first] = await Promise.all(places.slice(0, 64));
    for (const place of places.slice(0, 64)) leaveOf(await place)(true);
    assert.equal(admission.state().inFlight, 64, 'places are given back, to those who waited');
    leaveOf(first)(true);
    assert.equal(admission.state().inFlight, 64, 'once');
    assert.deepEqual(await places[299], { afterSeconds: 4 });
  });

  it('refuses none of one account’s burst that is answered within 4 s, whatever the limit is', async () => {
    const admission = create();
    await play(admission, service, { seconds: 60, servedPerSecond: 13, asking: { a: 39 } });
    await play(admission, service, { seconds: 10, servedPerSecond: 13, asking: {} });
    await play(admission, service, { seconds: 10, servedPerSecond: 13, asking: { a: 5 } });
    for (let burst = 0; burst < 5; burst += 1) {
      for (const [size, most] of [
        [24, 0],
        [100, 60],
      ] as const) {
        const asking = { a: size * 100 };
        const { refused } = await play(admission, service, { seconds: 0.01, servedPerSecond: 13, asking });
        assert.ok(refused <= most, `${refused} of ${size}`);
        await play(admission, service, { seconds: 12, servedPerSecond: 13, asking: {} });
      }
    }
  });

  it('refuses at the end of its 4 s what waits in vain, and says when to come back', async () => {
    const admission = create();
    for (let n = 0; n < 64; n += 1) await admission.enter('a');
    const late = admission.enter('a');
    const next = admission.enter('b', { waits: false });
    clock.ms += 4_000;
    leaveOf(await next)(true);
    assert.ok('afterSeconds' in (await late));
  });

  it('lets no account wait behind another’s line', async () => {
    const admission = create();
    const places = Array.from({ length: 128 }, () => admission.enter('flood'));
    const other = admission.enter('other');
    leaveOf(await other)(true);
    assert.equal(admission.state().waiting, 64);
    for (const place of places.slice(0, 64)) leaveOf(await place)(true);
  });

  it('keeps delivering at three times what can be done: nearly nobody is left without an answer', async () => {
    const admission = create();
    const { asked, refused, answered, unknown } = await play(admission, service, {
      seconds: 60,
      servedPerSecond: 13,
      asking: { a: 39 },
    });
    assert.ok(unknown <= asked / 100, `${unknown} of ${asked} do not know`);
    assert.ok(answered >= 0.85 * 13 * 60, `${answered} were answered`);
    assert.ok(refused > asked / 2);
    const after = await play(admission, service, { seconds: 10, servedPerSecond: 13, asking: { a: 12 } });
    assert.ok(
      after.answered >= 0.9 * 12 * 10,
      `${after.answered} of ${after.asked} in the ten seconds afterwards`,
    );
  });

  it('lets one account take everything while it is alone, and not once others ask', async () => {
    const admission = create();
    const alone = await play(admission, service, { seconds: 20, servedPerSecond: 100, asking: { big: 90 } });
    assert.equal(alone.refused, 0);
    const asking = { big: 1_000, small: 10, smaller: 2 };
    // What the flood brought in its first moment is worked off.
    const { of } = await play(admission, service, { seconds: 2, servedPerSecond: 100, asking });
    assert.ok((of.small?.refused ?? 0) <= 2, JSON.stringify(of.small));
    const beside = await play(admission, service, { seconds: 30, servedPerSecond: 100, asking });
    for (const name of ['small', 'smaller'])
      assert.equal(beside.of[name]?.refused, 0, `${name}: ${JSON.stringify(beside.of[name])}`);
    assert.ok(beside.answered > 0.85 * 100 * 30);
  });

  it('lets whoever floods wait in a line of its own, and others little longer than usual', async () => {
    const admission = create();
    const calm = { seconds: 30, servedPerSecond: 100, asking: { a: 20, b: 20 } };
    await play(admission, service, calm);
    await play(admission, service, { ...calm, seconds: 5, asking: { a: 300, b: 20 } });
    const { of, answered } = await play(admission, service, { ...calm, asking: { a: 300, b: 20 } });
    assert.ok((of.b?.slowest ?? 0) <= 500, JSON.stringify(of.b));
    assert.ok((of.a?.slowest ?? 0) <= 4_500, `no longer than its own line: ${JSON.stringify(of.a)}`);
    assert.equal(of.b?.refused, 0);
    assert.ok(answered > 0.95 * 100 * 30);
  });

  /** Four ask every tenth of a second, and each is answered after 700 ms. Returns how many were refused. */
  async function playFar(admission: Admission, seconds: number): Promise<number> {
    const slow: { at: number; leave: (answered: boolean) => void }[] = [];
    let refused = 0;
    for (let tenth = 0; tenth < 10 * seconds; tenth += 1, clock.ms += 100) {
      for (let n = 0; n < 4; n += 1) {
        const leave = await enterNow(admission, 'a');
        if (leave) slow.push({ at: clock.ms + 700, leave });
        else refused += 1;
      }
      while (slow[0] && slow[0].at <= clock.ms) slow.shift()?.leave(true);
    }
    for (const { at, leave } of slow) {
      clock.ms = at;
      leave(true);
    }
    return refused;
  }

  it('takes what is slow by itself as usual: a far database bounds nothing', async () => {
    assert.equal(await playFar(create(), 120), 0);
  });

  it('takes a moment in which all failed at once for no sign of how soon answers come', async () => {
    const admission = create();
    await playFar(admission, 10);
    for (let n = 0; n < 20; n += 1, clock.ms += 5) (await enterNow(admission, 'a'))?.(false);
    assert.equal(await playFar(admission, 60), 0);
  });

  it('takes a pause of half a second for no overload: the next burst is taken', async () => {
    const admission = create();
    const calm = { seconds: 30, servedPerSecond: 100, asking: { a: 20, b: 2 } };
    await play(admission, service, calm);
    await play(admission, service, { ...calm, seconds: 0.5, servedPerSecond: 0 });
    await play(admission, service, { ...calm, seconds: 0.3 });
    const burst = await Promise.all(Array.from({ length: 40 }, () => enterNow(admission, 'a')));
    assert.equal(burst.filter(Boolean).length, 40);
  });

  it('is not impressed by a few that hang', async () => {
    const admission = create();
    for (let n = 0; n < 10; n += 1) await admission.enter(`hanging-${n}`);
    const { refused } = await play(admission, service, {
      seconds: 30,
      servedPerSecond: 200,
      asking: { a: 150 },
    });
    assert.equal(refused, 0);
  });

  it('takes payouts of one account as they come while nobody else asks, and one by one beside others', async () => {
    const payout = (admission: Admission, account = 'payer') =>
      enterNow(admission, account, { yields: true });
    const alone = create();
    for (let n = 0; n < 20; n += 1) assert.ok(await payout(alone));
    const admission = create();
    for (let n = 0; n < 5; n += 1) {
      const leave = leaveOf((await enterNow(admission, 'shop')) ?? undefined);
      service.clock.ms += 20;
      leave(true);
    }
    const first = leaveOf((await payout(admission)) ?? undefined);
    assert.equal(await payout(admission), null);
    assert.ok(await enterNow(admission, 'shop'), 'customers wait for no payout');
    assert.ok(await payout(admission, 'another payer'), 'nor does another account');
    assert.equal(admission.state().waiting, 1);
    service.clock.ms += 20;
    first(true);
    assert.equal(admission.state().waiting, 0);
  });

  it('grows where answers come soon', async () => {
    const admission = create();
    await play(admission, service, { seconds: 20, servedPerSecond: 5, asking: { a: 50 } });
    const { limit } = admission.state();
    assert.ok(limit < 20, `as few as are answered in two seconds: ${limit}`);
    await play(admission, service, { seconds: 60, servedPerSecond: 1_000, asking: { a: 990 } });
    assert.ok(admission.state().limit >= limit);
    const { refused } = await play(admission, service, {
      seconds: 10,
      servedPerSecond: 1_000,
      asking: { a: 900 },
    });
    assert.equal(refused, 0);
  });

  it('sends nothing that it does not admit, and gives places back whatever happens', async () => {
    const admission = create();
    let sent = 0;
    const flows = {
      submit: async () => {
        sent += 1;
        throw new Error('lost');
      },
    } as unknown as Flows;
    const submission = { accountId: 'a', request: { mode: 'ussd' } } as Submission;
    for (let n = 0; n < 300; n += 1) await assert.rejects(admitted(flows, admission).submit(submission));
    assert.deepEqual([sent, admission.state().inFlight], [300, 0]);
    const full = { ...admission, enter: async () => ({ afterSeconds: 3 }) };
    assert.deepEqual(await admitted(flows, full).submit(submission), {
      kind: 'not_sent',
      busy: { afterSeconds: 3 },
    });
    assert.equal(sent, 300);
  });

  it('starts a resend while there is a place, and tells from it nothing of how soon submissions are answered', async () => {
    const admission = create();
    let started = 0;
    const flows = {
      deliver: async () => {
        started += 1;
        return true;
      },
    } as unknown as Flows;
    const round = { eventId: 'e', round: 1 };
    const before = admission.state();
    for (let n = 0; n < 300; n += 1) assert.equal(await admitted(flows, admission).deliver(round), true);
    assert.deepEqual([started, admission.state()], [300, before]);
    const full = { ...admission, enter: async () => ({ afterSeconds: 3 }) };
    assert.equal(await admitted(flows, full).deliver(round), false);
    assert.equal(started, 300);
  });
});
