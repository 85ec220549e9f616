/** The page Fleet: processes with what they hold, connections, disk, retention. */
import { type Process, type Room, servedGroups } from '../read/fleet.js';
import type { OwnedWork, QueueView } from '../read/queue-work.js';
import { type Html, html } from './html.js';
import { ago, bytes, duration, facts, jobLink, pill, table } from './layout.js';
import { unservedGroups } from './load-sections.js';

interface FleetView {
  readonly now: Date;
  readonly processes: readonly Process[];
  readonly queue: QueueView | null;
  readonly room: Room;
  readonly freeBytes: number | null;
  readonly reserveBytes: number;
  readonly retention: { readonly jobDays: number; readonly eventDays: number; readonly auditDays: number };
}

export function fleetPage({ now, processes, queue, room, freeBytes, reserveBytes, retention }: FleetView): Html {
  return html`<section id="processes"><h2>Processes</h2>${processSummary(processes)}${table(
    'Processes',
    ['State', 'Serves', 'Version', 'Host and process', 'Runs since', 'Heartbeat', 'Holds'],
    processes.map((process) => [
      process.lost ? pill('lost', 'bad') : pill('alive', 'good'),
      process.groups.join(', '),
      process.version,
      html`${process.host} · ${process.pid}`,
      ago(process.startedAt, now),
      ago(process.seenAt, now),
      holds(process, queue, now),
    ]),
    'No process has a heartbeat.',
  )}</section>
<section id="room"><h2>Room</h2><p>${connectionsLine(room)}</p>${table(
    'Connections to this database',
    ['Application', 'Connections'],
    room.connections.ours.map(({ name, connections }) => [name, connections]),
    'There are no connections.',
  )}<h3>Disk</h3>${facts([
    ['Free in the file store', freeBytes === null ? 'not known' : bytes(freeBytes)],
    ['Reserve of the file store', bytes(reserveBytes)],
    ['Size of the database', bytes(room.databaseBytes)],
  ])}<h3>Retention</h3>${facts([
    ['Jobs and their files', `${retention.jobDays} days`],
    ['Oldest job', ago(room.oldestJobAt, now)],
    ['Events and deliveries', `${retention.eventDays} days`],
    ['Oldest event', ago(room.oldestEventAt, now)],
    ['Audit log', `${retention.auditDays} days`],
  ])}</section>`;
}

/** How many processes serve what, and of which version. */
export function processSummary(processes: readonly Process[]): Html {
  const living = processes.filter(({ lost }) => !lost);
  const groups = servedGroups(processes);
  const versions = [...new Set(living.map(({ version }) => version))].sort();
  const lost = processes.length - living.length;
  return html`<ul class="plain">
${[...groups].sort().map(([group, count]) => html`<li>${pill(String(count), 'plain')} ${count === 1 ? 'process serves' : 'processes serve'} <strong>${group}</strong></li>`)}
${groups.size > 0 && unservedGroups(groups).map((group) => html`<li>${pill('none', 'bad')} No process serves <strong>${group}</strong></li>`)}
${groups.size === 0 && html`<li>${pill('none', 'bad')} No process is alive.</li>`}
<li>${versions.length > 1 ? pill('several versions', 'busy') : ''} Version ${versions.length === 0 ? '–' : versions.join(' and ')}</li>
${lost > 0 && html`<li>${pill('lost', 'bad')} ${lost} within the last day</li>`}
</ul>`;
}

export function connectionsLine({ connections: { used, allowed } }: Room): Html {
  const scarce = used > 0.9 * allowed;
  return html`${pill(scarce ? 'scarce' : 'room', scarce ? 'bad' : 'good')} ${used} of ${allowed} connections to Postgres are open.`;
}

const MOST_HELD = 5;

function holds(process: Process, queue: QueueView | null, now: Date): Html {
  if (queue === null) return html`not known: the queue does not answer`;
  const held = queue.running.filter(({ processId }) => processId === process.id);
  if (held.length === 0) return html`<span class="dim">nothing</span>`;
  const left = process.lost && html`<p>${pill('left behind', 'busy')} Another worker of the group takes it over.</p>`;
  const oldest = [...held].sort((a, b) => a.since.getTime() - b.since.getTime()).slice(0, MOST_HELD);
  return html`${left}<ul class="plain">${oldest.map((work) => html`<li>${heldWork(work)} ${process.lost ? 'begun' : 'for'} ${process.lost ? ago(work.since, now) : duration(now.getTime() - work.since.getTime())}</li>`)}
${held.length > MOST_HELD && html`<li>and ${held.length - MOST_HELD} more</li>`}</ul>`;
}

function heldWork({ queue, jobIds, owner }: OwnedWork): Html {
  const [first] = jobIds;
  return html`${queue} ${first === undefined ? (owner?.accountName ?? '') : jobLink(first)}`;
}
