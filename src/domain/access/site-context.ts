/** The data set of a request, which its x-site-context header names. */

/** The content of the header. */
export interface SiteSelector {
  readonly accountId: string;
  readonly stage: string;
  /** Written items are tagged with the channel; reads see items of the channel and untagged ones. */
  readonly channel: number | null;
  /** Reads and exports see records that were last changed at or before this time. */
  readonly date: Date | null;
}

/** A selector with the id of its site. */
export interface SiteContext extends SiteSelector {
  readonly siteId: number;
  /** The W3C trace context of the request: jobs and events that come from it carry it on. Absent: it has none. */
  readonly traceparent?: string | null;
  /** Who asks, as jobs and the change log name it: "token:5f…". Absent: the system itself. */
  readonly actor?: string | null;
}
