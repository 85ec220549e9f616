/** The data set that a request works on, as its x-site-context header names it. */

/** What the header says. */
export interface SiteSelector {
  readonly accountId: string;
  readonly stage: string;
  /** Items written are tagged with it; reads see those of the channel and untagged ones. */
  readonly channel: number | null;
  /** Reads and exports see records changed up to this instant. */
  readonly date: Date | null;
}

/** A selector with the site it stands for. */
export interface SiteContext extends SiteSelector {
  readonly siteId: number;
}
