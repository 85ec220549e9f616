/** The options of `longshore import` for a file that is the whole truth within a scope. */
import type { ImportFileOptions } from '@longshore/client';
import { InvalidArgumentError } from 'commander';
import { CommandError } from '../failure.js';

type Snapshot = NonNullable<NonNullable<ImportFileOptions['options']>['snapshot']>;

/** A part of the option, and how it was typed. */
interface Typed<Part> {
  readonly typed: string;
  readonly part: Part;
}
export type SnapshotScope = Typed<Snapshot['scope']>;
export type SnapshotMissing = Typed<Snapshot['missing']>;

interface SnapshotOptions {
  readonly snapshot?: SnapshotScope;
  readonly missing?: SnapshotMissing;
  readonly maxMissingPercent?: number;
  readonly maxMissing?: number;
  readonly minRows?: number;
  readonly onBrake?: 'stop' | 'approve';
}

/** Reads the value of --snapshot. */
export function scopeOf(text: string): SnapshotScope {
  if (text === 'stage') return { typed: text, part: text };
  const [, kind, named = ''] = /^(category|attribute|feed):(.+)$/s.exec(text) ?? [];
  if (kind === 'category') return { typed: text, part: { category: named } };
  if (kind === 'feed') return { typed: text, part: { feed: named } };
  const valued = kind === 'attribute' ? pairOf(named) : undefined;
  if (valued !== undefined) return { typed: text, part: valued };
  throw new InvalidArgumentError('Write stage, category:PATH, attribute:NAME=VALUE or feed:NAME.');
}

/** Reads the value of --missing. */
export function missingOf(text: string): SnapshotMissing {
  if (text === 'delete') return { typed: text, part: text };
  const [, kind, named = ''] = /^(set|clear):(.+)$/s.exec(text) ?? [];
  if (kind === 'clear') return { typed: text, part: { clear: named.split(',').map((name) => name.trim()) } };
  const valued = kind === 'set' ? pairOf(named) : undefined;
  if (valued !== undefined) return { typed: text, part: { set: valued } };
  throw new InvalidArgumentError('Write delete, set:NAME=VALUE or clear:NAME,NAME.');
}

/** Reads the value of --on-brake. */
export function onBrakeOf(text: string): 'stop' | 'approve' {
  if (text === 'stop' || text === 'approve') return text;
  throw new InvalidArgumentError('Write stop or approve.');
}

export function numberOf(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number) && number >= 0) return number;
  throw new InvalidArgumentError('Write a number.');
}

function pairOf(text: string): { attribute: string; value: string } | undefined {
  const at = text.indexOf('=');
  return at < 1 ? undefined : { attribute: text.slice(0, at), value: text.slice(at + 1) };
}

/** What the API is told; nothing, if the file is no whole truth. */
export function snapshotOf(options: SnapshotOptions): { readonly snapshot?: Snapshot } {
  const { snapshot, missing, maxMissingPercent, maxMissing, minRows, onBrake } = options;
  if (snapshot === undefined) {
    const [without] = writtenSnapshot(options);
    if (without === undefined) return {};
    throw new CommandError(`${without} says what becomes of what the file lacks: add --snapshot, or leave it out.`);
  }
  return {
    snapshot: {
      scope: snapshot.part,
      missing: missing?.part ?? 'delete',
      ...(maxMissingPercent === undefined ? {} : { maxMissingPercent }),
      ...(maxMissing === undefined ? {} : { maxMissing }),
      ...(minRows === undefined ? {} : { minRows }),
      ...(onBrake === undefined ? {} : { onBrake }),
    },
  };
}

/** The options as they can be typed again. */
export function writtenSnapshot(options: SnapshotOptions): string[] {
  const { snapshot, missing, maxMissingPercent, maxMissing, minRows, onBrake } = options;
  const given = {
    '--snapshot': snapshot?.typed,
    '--missing': missing?.typed,
    '--max-missing-percent': maxMissingPercent,
    '--max-missing': maxMissing,
    '--min-rows': minRows,
    '--on-brake': onBrake,
  };
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]));
}
