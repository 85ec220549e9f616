/** Groups the operations by the tasks for which people need them. */
import type { Route } from '../define-route.js';

interface Task {
  readonly name: string;
  readonly description: string;
  /** The tags of the routes with which it is done. */
  readonly of: readonly string[];
}

/** The groups of the operations, in the order in which most people need them. */
const TASKS: readonly Task[] = [
  {
    name: 'Set up the catalog',
    description: 'Attributes and their roles, and the trees of categories, which determine what items have',
    of: ['Attributes', 'Categories'],
  },
  { name: 'Send and read items', description: 'Items, variants and bundles as JSON', of: ['Items'] },
  {
    name: 'Import a file',
    description:
      'Templates with the columns of a file, profiles of files with other columns, its upload, and downloads',
    of: ['Files', 'Import profiles', 'Settings', 'Saved views', 'Templates'],
  },
  {
    name: 'Bring files by themselves',
    description: 'Feeds: folders and servers from which new files are taken by a schedule, each once',
    of: ['Feeds'],
  },
  {
    name: 'Follow a job',
    description: 'The progress, errors and result of every bulk request, import, export and replay',
    of: ['Jobs'],
  },
  {
    name: 'See what changed',
    description: 'What a job has changed or would change, the history of an item, and a feed of all changes',
    of: ['Changes'],
  },
  { name: 'Stages', description: 'Copy a whole stage', of: ['Stages'] },
  { name: 'Export', description: 'Jobs that write a file of the catalog', of: ['Exports'] },
  {
    name: 'Receive webhooks',
    description: 'Definitions of who is called on which events, what was delivered, and deliveries once more',
    of: ['Webhooks'],
  },
  { name: 'Emit events', description: 'Events of your systems, which are sent to webhooks', of: ['Events'] },
  {
    name: 'Register documents and notify',
    description: 'Orders, shipments and the like, and messages about them',
    of: ['Documents', 'Notifications'],
  },
  {
    name: 'Get access',
    description: 'Sessions of browsers, people and their roles, tokens for OAuth clients, and the audit log',
    of: ['Access'],
  },
  { name: 'Operate', description: 'Whether a process is alive and ready, and its documentation', of: ['Operations'] },
];

/** Routes of tests have tags of their own, which are shown as they are. */
export function taskOf(tag: string): string {
  return TASKS.find(({ of }) => of.includes(tag))?.name ?? tag;
}

/** The groups that have operations; the tags without a task come last. */
export function groupsOf(routes: readonly Route[]): { readonly name: string; readonly description?: string }[] {
  const used = new Set(routes.map(({ tag }) => taskOf(tag)));
  const tasks = TASKS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }));
  const others = [...used].filter((name) => !TASKS.some((task) => task.name === name)).map((name) => ({ name }));
  return [...tasks, ...others];
}
