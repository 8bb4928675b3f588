import { type FeeVersion, feeVersions, type Tier } from './data/fees.ts';
import { type FeeService, forEachService } from './fee-services.ts';
import { MINOR_PER_UNIT, type Minor, minor } from './money.ts';

export type { Tier } from './data/fees.ts';

export type Fee = { fee: Minor; version: string };

/** An account's own fees, agreed by two operators: each row replaces the service's row of data/fees.json. */
export type OwnFees = {
  /** proposal that set them */
  version: string;
  /** ISO 8601 UTC, six decimals */
  effectiveFrom: string;
  rows: OwnRows;
};
export type OwnRows = { [S in FeeService]?: { tiers: readonly Tier[] } | undefined };

/** A service's fee at a time is the account's own row, else the file's row. */
export type FeeSchedule = Pick<FeeVersion, 'version'> & {
  services: Record<FeeService, { taken: 'from_value' | 'on_top'; tiers: readonly Tier[] }>;
  /** ISO 8601 UTC: all of these fees apply since then */
  effectiveFrom: string;
};

const AND = '+';

/** Returns the fees at `moment` (ISO 8601, UTC) with an account's `own`. Throws if there are none. */
export function feesAt(moment: string, own: OwnFees | null, versions = feeVersions): FeeSchedule {
  // Versions are sorted by time; each applies from exactly its `effective_from`.
  const inForce = versions.findLast((version) => version.effective_from <= moment);
  if (!inForce) throw new RangeError(`no fee schedule is in force at ${moment}`);
  return withOwn(inForce, own);
}

/** Finds fees by the version stored with a bill: its payments may come months later. */
export function feesNamed(name: string, own: OwnFees | null, versions = feeVersions): FeeSchedule {
  const [ofFile] = name.split(AND);
  const version = versions.find((candidate) => candidate.version === ofFile);
  if (!version || ownPartOf(name) !== (own && versionOf(own)))
    throw new RangeError(`there is no fee schedule ${name}`);
  return withOwn(version, own);
}

export function ownPartOf(name: string): string | null {
  return name.split(AND)[1] ?? null;
}

/** Returns when the file's fees change next after `moment`; null: nothing is announced. */
export function nextChangeAfter(moment: string, versions = feeVersions): string | null {
  return versions.find((version) => version.effective_from > moment)?.effective_from ?? null;
}

/** Rounds half up to the shilling, then applies min and max. A collection's fee is at most its value. */
export function feeFor(service: FeeService, value: Minor, { version, services }: FeeSchedule): Fee {
  const { taken, tiers } = services[service];
  const wholeUnits = Math.trunc(value / MINOR_PER_UNIT);
  const tier = tiers.find((t) => t.from <= wholeUnits && (t.to === null || wholeUnits <= t.to));
  if (!tier) throw new RangeError(`fee schedule ${version} has no tier of ${service} for ${value}`);
  const percentage = Math.floor((value * tier.basis_points + 500_000) / 1_000_000);
  const whole = Math.min(Math.max(tier.fixed + percentage, tier.min), tier.max ?? Number.MAX_SAFE_INTEGER);
  const fee = whole * MINOR_PER_UNIT;
  return { fee: minor(taken === 'from_value' ? Math.min(fee, value) : fee), version };
}

export function tiersOf({ services }: FeeSchedule): Record<FeeService, { tiers: readonly Tier[] }> {
  return forEachService((service) => ({ tiers: services[service].tiers }));
}

function withOwn(file: FeeVersion, own: OwnFees | null): FeeSchedule {
  const fileFrom = file.effective_from;
  if (!own) return { version: file.version, effectiveFrom: fileFrom, services: file.services };
  const services = forEachService((service) => ({ ...file.services[service], ...own.rows[service] }));
  const ownVersion = versionOf(own);
  const isLater = own.effectiveFrom > fileFrom;
  return {
    version: ownVersion === null ? file.version : `${file.version}${AND}${ownVersion}`,
    effectiveFrom: isLater ? own.effectiveFrom : fileFrom,
    services,
  };
}

function versionOf({ version, rows }: OwnFees): string | null {
  return Object.keys(rows).length === 0 ? null : version;
}
