// tests: slow
import assert from 'node:assert/strict';
import { createPlaces, type NoPlace, type Place, type Places } from '../../src/callbacks/places.ts';

const slow = 'https://slow.example/';

describe('places in flight', () => {
  let nowMs: number;
  let places: Places;
  beforeEach(() => {
    nowMs = 0;
    places = createPlaces({ perUrlMax: 5, totalMax: 100, now: () => nowMs });
  });

  const isPlace = (taken: Place | NoPlace): taken is Place => 'leave' in taken;
  async function take(url: string): Promise<Place> {
    const taken = await places.take(url);
    return isPlace(taken) ? taken : assert.fail(`no place with ${url} for ${taken.afterMs} ms`);
  }
  async function refused(url: string): Promise<number> {
    const taken = await places.take(url);
    return isPlace(taken) ? assert.fail(`there was a place with ${url}`) : taken.afterMs;
  }
  async function takeAll(url: string, most = 200): Promise<Place[]> {
    const taken: Place[] = [];
    for (let place = await places.take(url); isPlace(place) && taken.length < most; ) {
      taken.push(place);
      place = await places.take(url);
    }
    return taken;
  }
  /** Lets one attempt with this URL take this long. */
  async function attempt(url: string, options: { ms: number; hung?: boolean }) {
    const place = await take(url);
    nowMs += options.ms;
    place.leave({ hung: options.hung ?? false });
  }

  it('are five with one URL, however many there are in all', async () => {
    assert.equal((await takeAll(slow)).length, 5);
    assert.equal((await takeAll('https://other.example/')).length, 5);
  });

  it('are free again when the attempt has ended, once', async () => {
    const [first] = await takeAll(slow);
    first?.leave({ hung: false });
    first?.leave({ hung: false });
    assert.equal((await takeAll(slow)).length, 1);
  });

  it('are one at a time with a URL that let an attempt time out, until it answers', async () => {
    await attempt(slow, { ms: 15_000, hung: true });
    const probe = await take(slow);
    await refused(slow);
    nowMs += 100;
    probe.leave({ hung: false });
    assert.ok((await takeAll(slow)).length > 1);
  });

  it('are one with each URL when a quarter of all are taken: a newcomer finds one all the same', async () => {
    for (let at = 0; at < 5; at += 1) assert.equal((await takeAll(`https://hangs-${at}.example/`)).length, 5);
    for (let at = 5; at < 75; at += 1)
      assert.equal((await takeAll(`https://hangs-${at}.example/`)).length, 1);
    assert.equal((await takeAll('https://healthy.example/')).length, 1);
  });

  it('are never more than there are in all', async () => {
    for (let at = 0; at < 200; at += 1) await takeAll(`https://hangs-${at}.example/`);
    await refused('https://healthy.example/');
  });

  it('are at most half with URLs that hang, however many these are, and that makes it crowded for nobody', async () => {
    const urls = Array.from({ length: 500 }, (_, at) => `https://hangs-${at}.example/`);
    for (const url of urls) await attempt(url, { ms: 15_000, hung: true });
    let probes = 0;
    for (const url of urls) probes += (await takeAll(url)).length;
    assert.equal(probes, 50);
    assert.equal((await takeAll('https://healthy.example/')).length, 5);
  });

  it('are asked for soon again where an attempt has just begun', async () => {
    await takeAll(slow);
    assert.equal(await refused(slow), 250);
  });

  it('are given out in turns: each one that asks comes after the one before, at the pace of the receiver', async () => {
    await takeAll(slow);
    nowMs += 10_000;
    const turns = [await refused(slow), await refused(slow), await refused(slow), await refused(slow)];
    assert.deepEqual(turns, [2_000, 4_000, 5_000, 5_000]);
  });

  it('are asked for again within seconds where few wait, however long the receiver let the last one wait', async () => {
    await attempt(slow, { ms: 15_000, hung: true });
    await take(slow);
    for (let at = 0; at < 40; at += 1) assert.equal(await refused(slow), 5_000);
  });

  it('are asked for ten times a second by all together, and by each at most two minutes later', async () => {
    await attempt(slow, { ms: 15_000, hung: true });
    await take(slow);
    const turns: number[] = [];
    for (let at = 0; at < 1_500; at += 1) turns.push(await refused(slow));
    assert.deepEqual([turns[99], turns[999], turns.at(-1)], [10_000, 100_000, 120_000]);
    nowMs += 120_000;
    assert.equal(await refused(slow), 5_000, 'the crowd of before is forgotten');
  });

  it('of a receiver that answers again are asked for soon: nobody stands behind the old line', async () => {
    await attempt(slow, { ms: 15_000, hung: true });
    const probe = await take(slow);
    for (let at = 0; at < 20; at += 1) await refused(slow);
    nowMs += 5_000;
    probe.leave({ hung: false });
    await takeAll(slow, 5);
    assert.ok((await refused(slow)) <= 2_000);
  });

  it('of a receiver that answers quickly are waited for here, first come first served', async () => {
    await attempt(slow, { ms: 20 });
    const taken = await takeAllOf(5);
    const order: number[] = [];
    const waiting = [1, 2, 3].map((n) =>
      places.take(slow).then((place) => {
        order.push(n);
        return place;
      }),
    );
    for (const place of taken.slice(0, 3)) place.leave({ hung: false });
    assert.ok((await Promise.all(waiting)).every(isPlace));
    assert.deepEqual(order, [1, 2, 3]);
  });

  it('are not waited for longer than a second', async () => {
    await attempt(slow, { ms: 20 });
    await takeAllOf(5);
    const startMs = performance.now();
    await refused(slow);
    assert.ok(performance.now() - startMs >= 900);
  });

  it('are not waited for by more than would come in within a second', async () => {
    await attempt(slow, { ms: 500 });
    await takeAllOf(5);
    const waiting = Array.from({ length: 10 }, () => places.take(slow));
    await refused(slow);
    assert.ok((await Promise.all(waiting)).every((place) => !isPlace(place)));
  });

  const takeAllOf = (count: number) => Promise.all(Array.from({ length: count }, () => take(slow)));
});
