import { type FeeService, type FeeVersion, feeVersions } from './data/fees.ts';
import { MINOR_PER_UNIT, type Minor, minor } from './money.ts';

export type { FeeService } from './data/fees.ts';

export type Fee = { fee: Minor; version: string };

/**
 * The fee of a service for a value, by the schedule version in force at `acceptedAt` (ISO 8601, UTC).
 * Percentages round half up to the whole shilling, then min and max; a collection's fee never exceeds its value.
 * Source: data/fees.json, or `versions`. Throws when none is in force: a deployment without a schedule must not take
 * money.
 */
export function feeFor(service: FeeService, value: Minor, acceptedAt: string, versions = feeVersions): Fee {
  return feeIn(versionAt(acceptedAt, versions), service, value);
}

/** The fee by a version that was frozen earlier: a bill's payments come months after it was made. */
export function feeByVersion(service: FeeService, value: Minor, name: string, versions = feeVersions): Fee {
  const version = versions.find((candidate) => candidate.version === name);
  if (!version) throw new RangeError(`there is no fee schedule ${name}`);
  return feeIn(version, service, value);
}

function feeIn(version: FeeVersion, service: FeeService, value: Minor): Fee {
  const { taken, tiers } = version.services[service];
  const wholeUnits = Math.trunc(value / MINOR_PER_UNIT);
  const tier = tiers.find((t) => t.from <= wholeUnits && (t.to === null || wholeUnits <= t.to));
  if (!tier) throw new RangeError(`fee schedule ${version.version} has no tier of ${service} for ${value}`);
  const percentage = Math.floor((value * tier.basis_points + 500_000) / 1_000_000);
  const whole = Math.min(Math.max(tier.fixed + percentage, tier.min), tier.max ?? Number.MAX_SAFE_INTEGER);
  const fee = whole * MINOR_PER_UNIT;
  return { fee: minor(taken === 'from_value' ? Math.min(fee, value) : fee), version: version.version };
}

/** Versions are in order of their moments; one holds from exactly its `effective_from` on. */
function versionAt(moment: string, versions: readonly FeeVersion[]): FeeVersion {
  const inForce = versions.findLast((version) => version.effective_from <= moment);
  if (!inForce) throw new RangeError(`no fee schedule is in force at ${moment}`);
  return inForce;
}
