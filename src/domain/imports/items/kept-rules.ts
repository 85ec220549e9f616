/** The compiled rules that a process keeps, by the memory that they take. */
import { RecentlyUsed } from '../../../platform/concurrency/recently-used.js';
import type { SiteDefinitions } from '../../catalog/site-definitions.js';

/** Of how many sites, at most: small jobs of many sites alternate. */
const KEPT_SITES = 2_000;
/** In all; the rules of one site may take more. A thousand sites of twelve attributes and twenty categories fit in. */
const KEPT_BYTES = 48 * 1024 * 1024;
/** Jobs that have begun use the version before. Older ones were kept as well: those of long lists of options took 178 MB. */
const KEPT_VERSIONS = 2;

/** Rules, or a promise of them, by site and version. */
export class KeptRules<Rules> {
  readonly #sites = new RecentlyUsed<RecentlyUsed<Rules>>(KEPT_SITES, KEPT_BYTES);

  /** @param site whose rules they are, and how values are written */
  get(site: string, version: number): Rules | undefined {
    return this.#sites.get(site)?.get(String(version));
  }

  /** @param bytes what they take; 0: it is not known yet */
  keep(site: string, version: number, rules: Rules, bytes: number): void {
    const versions = this.#sites.get(site) ?? new RecentlyUsed<Rules>(KEPT_VERSIONS, Number.POSITIVE_INFINITY);
    versions.set(String(version), rules);
    versions.weigh(String(version), bytes);
    this.#sites.set(site, versions);
    this.#sites.weigh(site, versions.weight);
  }

  forget(site: string, version: number): void {
    this.#sites.get(site)?.delete(String(version));
  }
}

/** What compiled rules take, in bytes, measured with all of their options and categories in use. */
const BYTES = { attribute: 1_500, category: 500, listOfAttributes: 400, option: 200 };

export function bytesOfRules({ attributes, categories }: SiteDefinitions): number {
  const options = attributes.reduce(
    (sum, { options: own, validation }) => sum + (own?.length ?? 0) + (validation.oneOf?.length ?? 0),
    0,
  );
  // Categories share the list of attributes that they have inherited.
  const lists = new Set(categories.map(({ attributes: list }) => list)).size;
  return (
    attributes.length * BYTES.attribute +
    categories.length * BYTES.category +
    lists * (BYTES.listOfAttributes + attributes.length) +
    options * BYTES.option
  );
}
