/**
 * Every advisory lock of Longshore. Their keys share one space per database, so that two of the same number would wait for
 * each other: each stands here, and a test finds a file that locks by a number of its own. A key spells a word in ASCII.
 */
export const ADVISORY_LOCKS = {
  /** The migrations of a release: two releases at once wait for each other. */
  release: 0x4c6f6e67,
  /** The one maintenance process that leads, for the length of a pass. */
  maintenance: 0x6d61696e,
  /** With a site's id: the moment at which a job of the site begins. Concurrent jobs share it. */
  begin: 0x6c696e65,
  /** With a site's id: the positions of the site's jobs are given under it. */
  position: 0x706f736e,
  /** With a site's id: the site's windows of chunks are widened under it; two that counted at once would both fill the gap. */
  chunkWindow: 0x77696e64,
  /** With a site's id: the site's jobs of a type with a window (exports) are counted under it; two that counted at once would both find room. */
  siteWindow: 0x65787077,
  /** Seed of the hash of a job's id: held by the worker that carries out an atomic job. */
  atomicJob: 0x77686f6c65,
} as const;
