/**
 * The sections about load: does work arrive faster than it is done, when are the queues empty, how many workers are
 * wanted. What the leader of maintenance has measured is shown as of its time; which processes live, and whether
 * anything waits, is known without it and decides.
 */
import type { GroupLoad, Load } from '../read/load.js';
import { type Html, html } from './html.js';
import { duration, pill, table } from './layout.js';

export interface LoadView {
  /** Null: nobody has measured the system yet, or the database does not answer. */
  readonly load: Load | null;
  /** How many living processes serve each group; null: the database does not answer. */
  readonly served: ReadonlyMap<string, number> | null;
  /** For how long the oldest work of a group has been due, in ms; 0: it waits for other work. */
  readonly waiting: ReadonlyMap<string, number>;
  /** For how long workers have been waiting for a lock of Postgres; null: they do not. */
  readonly stuckMs: number | null;
}

/** The groups whose load is measured. */
const MEASURED = ['bulk', 'export', 'webhook'];
/** The system is measured every five seconds; beyond this a measurement was missed, and nothing is concluded from it. */
const CURRENT_SECONDS = 15;
/** Work that is done within this time is no reason for more workers: see wanted-workers.ts. */
const SOON_SECONDS = 60;

const NOT_KNOWN = html`<p class="none">Not known, because the database does not answer.</p>`;

/** A group: how many processes serve it now, and what was measured of it. */
interface Group {
  readonly name: string;
  readonly workers: number;
  readonly waits: boolean;
  readonly waitedMs: number;
  /** Null: nothing that is recent enough to conclude from. */
  readonly current: GroupLoad | null;
  readonly last: GroupLoad | null;
}

function groupsOf({ load, served, waiting }: LoadView): readonly Group[] {
  const isCurrent = load !== null && load.ageSeconds <= CURRENT_SECONDS;
  return MEASURED.map((name) => {
    const last = load?.groups.find(({ group }) => group === name) ?? null;
    return {
      name,
      workers: served?.get(name) ?? 0,
      waits: waiting.has(name),
      waitedMs: waiting.get(name) ?? 0,
      ...{ last, current: isCurrent ? last : null },
    };
  });
}

/** The groups that no living process serves; none while that is not known. */
export function unservedGroups(served: LoadView['served']): readonly string[] {
  return served === null ? [] : [...MEASURED, 'maintenance'].filter((group) => !served.has(group));
}

/** When the figures were measured, and whether anybody measures at present. */
function asOf({ load, served }: LoadView): Html {
  if (load === null) return html`<p class="dim">Nothing has been measured yet: a maintenance worker does that.</p>`;
  const age = duration(1000 * load.ageSeconds);
  if (served?.has('maintenance') === false) {
    return html`<p>${pill('not measured', 'busy')} The figures are those of ${age} ago. No process serves maintenance, which measures them.</p>`;
  }
  if (load.ageSeconds > CURRENT_SECONDS) {
    return html`<p>${pill('not measured', 'busy')} The figures are those of ${age} ago, and no newer ones have come.</p>`;
  }
  return html`<p class="dim">Measured ${age} ago, over the last minute.</p>`;
}

/** Slot-seconds that workers of a group do in a second: those that can run at once, and not more than there are slots. */
function paceOf({ workers, last }: Group): number {
  return last === null ? 0 : Math.min(workers * last.slots, Math.max(1, last.parallel));
}

function capacityOf({ workers, last }: Group): number | null {
  return last === null ? null : workers * last.slots;
}

/** Seconds until all that is due is done, if nothing more arrives. */
function secondsLeft(group: Group): number {
  return (group.current?.due ?? 0) / Math.max(paceOf(group), Number.MIN_VALUE);
}

export function arrival(view: LoadView): Html {
  if (view.served === null) return NOT_KNOWN;
  const groups = groupsOf(view);
  return html`<p class="answer">${arrivalAnswer(groups, view.stuckMs)}</p>${asOf(view)}${table(
    'Arrival, work in progress and capacity, in slots',
    ['Group', 'Arriving', 'Busy', 'Slots', 'Due'],
    groups.map((group) => [
      group.name,
      group.last?.arrival.toFixed(2) ?? '–',
      group.last?.busy.toFixed(2) ?? '–',
      capacityOf(group),
      group.last === null ? '–' : `${group.last.due.toFixed(1)} s`,
    ]),
    '',
  )}<p class="dim">A slot executes one step at a time. Arriving and due are the time that one slot needs for the work: 2.00 arriving keep two slots busy.</p>`;
}

function arrivalAnswer(groups: readonly Group[], stuckMs: number | null): Html {
  const unserved = groups.filter(({ workers }) => workers === 0);
  if (unserved.length > 0) {
    const waits = unserved.some((group) => group.waits);
    return html`${pill('not served', 'bad')} No process serves ${names(unserved)}${waits ? ', and work waits for one' : ''}.`;
  }
  // What is not done is not measured as arriving.
  if (stuckMs !== null)
    return html`${pill('stuck', 'bad')} Workers wait for <a href="#wrong">a lock of Postgres</a>, the longest for ${duration(stuckMs)}.`;
  if (groups.some(({ current }) => current === null))
    return html`${pill('not known', 'busy')} Nobody measures it at present.`;
  const more = groups.filter((group) => (group.current?.arrival ?? 0) > (capacityOf(group) ?? 0));
  if (more.length === 0) {
    const old = groups.filter(({ waitedMs }) => waitedMs > 1000 * SOON_SECONDS);
    if (old.length === 0) return html`${pill('no', 'good')} Workers keep up.`;
    const longest = Math.max(...old.map(({ waitedMs }) => waitedMs));
    return html`${pill('late', 'busy')} ${names(old)}: no more arrives than is done, but what waits longest has been due for ${duration(longest)}. See who uses the workers.`;
  }
  const late = more.filter((group) => secondsLeft(group) > SOON_SECONDS);
  if (late.length === 0) {
    return html`${pill('for now', 'plain')} ${names(more)}: more came in the last minute than workers do in one. What waits is done within a minute.`;
  }
  return html`${pill('yes', 'busy')} ${names(late)}: see how many workers are wanted.`;
}

function names(groups: readonly Group[]): string {
  return groups.map(({ name }) => name).join(', ');
}

export function emptyTimes(view: LoadView): Html {
  if (view.served === null) return NOT_KNOWN;
  return html`${asOf(view)}${table(
    'Time until the queues are empty',
    ['Group', 'If nothing more arrives', 'If as much goes on arriving'],
    groupsOf(view).map((group) => [group.name, ...emptyIn(group, view.stuckMs !== null)]),
    '',
  )}`;
}

function emptyIn(group: Group, isStuck: boolean): readonly [string, string] {
  const { workers, waits, current } = group;
  if (workers === 0) return [waits ? 'not before a process serves it' : 'nothing is due; no process serves it', '–'];
  if (current === null) return [waits ? 'not known; something is due' : 'nothing is due now', 'not known'];
  if (current.due === 0) return waits ? ['not measured yet; something is due', '–'] : ['empty', '–'];
  if (isStuck) return ['not known: workers wait for a lock', '–'];
  const spare = paceOf(group) - current.arrival;
  const left = about(secondsLeft(group));
  return [left, spare <= 0 ? 'it grows' : about(current.due / spare)];
}

function about(seconds: number): string {
  return `about ${duration(1000 * Math.ceil(seconds))}`;
}

/** Why a group should not have more workers than are wanted, and what to do; the names are those of wanted-workers.ts. */
const WHY: Readonly<Record<string, string>> = {
  parallelism:
    'only so much of the work can run at once: jobs of a stage wait for each other, and an endpoint takes few requests at a time. More workers would be idle',
  database: 'Postgres does no more with more workers: give it more processors, memory or faster disks',
  connections: 'Postgres has no connections for more: raise max_connections, lower DATABASE_POOL_MAX, or use a pooler',
};

export function wanted(view: LoadView): Html {
  if (view.served === null) return NOT_KNOWN;
  return html`${asOf(view)}${table(
    'Wanted workers',
    ['Group', 'Run', 'Wanted', 'What to do, and why no more'],
    groupsOf(view).map((group) => [
      group.name,
      group.workers,
      html`<strong>${group.last === null ? '–' : group.last.wanted}</strong>`,
      whatToDo(group),
    ]),
    '',
  )}`;
}

function whatToDo({ name, workers, current }: Group): Html {
  if (workers === 0) return html`start one: <code>npm run worker -- ${name}</code>`;
  if (current === null) return html`not known: it is not measured at present`;
  const { wanted: count, limitedBy } = current;
  const more = count - workers;
  const start = more > 0 && html`start ${more} more: <code>npm run worker -- ${name}</code>. `;
  const why = limitedBy === null ? 'the work needs no more' : (WHY[limitedBy] ?? `limited by ${limitedBy}`);
  return html`${start}${why}`;
}
