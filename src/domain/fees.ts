import schedule from '../../data/fees.json' with { type: 'json' };
import { MINOR_PER_UNIT, type Minor, minor } from './money.ts';

export type FeeService = 'ussd' | 'qr' | 'billpay' | 'mobile' | 'bank';

type Tier = {
  from: number;
  to: number | null;
  fixed: number;
  basis_points: number;
  min: number;
  max: number | null;
};
type Version = {
  version: string;
  effective_from: string;
  services: Record<FeeService, { taken: string; tiers: Tier[] }>;
};

const versions = schedule.versions as Version[];

export type Fee = { fee: Minor; version: string };

/**
 * The fee of a service for a value, by the schedule version in force at `acceptedAt` (ISO 8601, UTC).
 * Percentages round half up to the whole shilling, then min and max; a collection's fee never exceeds its value.
 * Source: data/fees.json. Throws when no version is in force: a deployment without a schedule must not take money.
 */
export function feeFor(service: FeeService, value: Minor, acceptedAt: string): Fee {
  return feeIn(versionAt(acceptedAt), service, value);
}

/** The fee by a version that was frozen earlier: a bill's payments come months after it was made. */
export function feeByVersion(service: FeeService, value: Minor, name: string): Fee {
  const version = versions.find((candidate) => candidate.version === name);
  if (!version) throw new RangeError(`there is no fee schedule ${name}`);
  return feeIn(version, service, value);
}

function feeIn(version: Version, service: FeeService, value: Minor): Fee {
  const { taken, tiers } = version.services[service];
  const wholeUnits = Math.trunc(value / MINOR_PER_UNIT);
  const tier = tiers.find((t) => t.from <= wholeUnits && (t.to === null || wholeUnits <= t.to));
  if (!tier) throw new RangeError(`fee schedule ${version.version} has no tier of ${service} for ${value}`);
  const percentage = Math.floor((value * tier.basis_points + 500_000) / 1_000_000);
  const whole = Math.min(Math.max(tier.fixed + percentage, tier.min), tier.max ?? Number.MAX_SAFE_INTEGER);
  const fee = whole * MINOR_PER_UNIT;
  return { fee: minor(taken === 'from_value' ? Math.min(fee, value) : fee), version: version.version };
}

function versionAt(moment: string): Version {
  const inForce = versions
    .filter((v) => v.effective_from <= moment)
    .sort((a, b) => (a.effective_from < b.effective_from ? 1 : -1))[0];
  if (!inForce) throw new RangeError(`no fee schedule is in force at ${moment}`);
  return inForce;
}
