/** The items that a complete file lacks, and that went or would go for it: a part of them, and more when it is asked for. */
import type { Job, schemas } from '@longshore/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { isPreview } from '../../jobs/job-state.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { wayOf } from './removal.js';

const PAGE = 100;

const useText = textsOf('removed-items', {
  delete: {
    en: '{count, plural, one {# item that the file lacks was deleted} other {# items that the file lacks were deleted}}',
    de: '{count, plural, one {# Artikel, der in der Datei fehlt, wurde gelöscht} other {# Artikel, die in der Datei fehlen, wurden gelöscht}}',
  },
  set: {
    en: '{count, plural, one {# item that the file lacks was given a value} other {# items that the file lacks were given a value}}',
    de: '{count, plural, one {# Artikel, der in der Datei fehlt, bekam einen Wert} other {# Artikel, die in der Datei fehlen, bekamen einen Wert}}',
  },
  clear: {
    en: '{count, plural, one {Values of # item that the file lacks were cleared} other {Values of # items that the file lacks were cleared}}',
    de: '{count, plural, one {Werte von # Artikel, der in der Datei fehlt, wurden geleert} other {Werte von # Artikeln, die in der Datei fehlen, wurden geleert}}',
  },
  wouldDelete: {
    en: '{count, plural, one {# item that the file lacks would be deleted} other {# items that the file lacks would be deleted}}',
    de: '{count, plural, one {# Artikel, der in der Datei fehlt, würde gelöscht} other {# Artikel, die in der Datei fehlen, würden gelöscht}}',
  },
  wouldSet: {
    en: '{count, plural, one {# item that the file lacks would get a value} other {# items that the file lacks would get a value}}',
    de: '{count, plural, one {# Artikel, der in der Datei fehlt, bekäme einen Wert} other {# Artikel, die in der Datei fehlen, bekämen einen Wert}}',
  },
  wouldClear: {
    en: '{count, plural, one {Values of # item that the file lacks would be cleared} other {Values of # items that the file lacks would be cleared}}',
    de: '{count, plural, one {Werte von # Artikel, der in der Datei fehlt, würden geleert} other {Werte von # Artikeln, die in der Datei fehlen, würden geleert}}',
  },
  more: { en: 'Show more of them', de: 'Weitere zeigen' },
});

const WOULD = { delete: 'wouldDelete', set: 'wouldSet', clear: 'wouldClear' } as const;

export function RemovedItems({ job }: { readonly job: Job }) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const way = wayOf(job);
  const count = job.removal?.removed ?? 0;
  const isTrial = isPreview(job) || job.status === 'AWAITING_APPROVAL';
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['removed-items', stage.name, job.id, job.status],
    enabled: way !== undefined && count > 0,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: schemas.ListJobChangesAnswer) => next,
    queryFn: ({ pageParam, signal }) =>
      api.listJobChanges(
        {
          id: job.id,
          types: ['item'],
          limit: PAGE,
          ...(way === 'delete'
            ? { operations: ['DELETED'] }
            : { operations: ['UPDATED'], attributes: attributesOf(job) }),
          ...(pageParam === undefined ? {} : { after: pageParam }),
        },
        { signal },
      ),
  });
  if (way === undefined || count === 0) return null;
  // What a row of the file has changed is not what the file lacks.
  const items = (data?.pages ?? []).flatMap((page) => page.data.filter(({ row }) => row === null));
  return (
    <Section title={t(isTrial ? WOULD[way] : way, { count })}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      <ul className="samples removed-items">
        {items.map(({ sku }) => (
          <li key={sku} className="sample">
            {way === 'delete' && !isTrial ? (
              <bdi>{sku}</bdi>
            ) : (
              <Link to="/$stage/items/item" params={{ stage: stage.name }} search={{ sku: sku ?? '' }}>
                <bdi>{sku}</bdi>
              </Link>
            )}
          </li>
        ))}
      </ul>
      {hasNextPage ? (
        <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {t('more')}
        </Button>
      ) : null}
    </Section>
  );
}

/** The attributes of which what the file lacks gets a value, or is cleared. */
function attributesOf({ options }: Job): string[] {
  const { set, clear } = Object(Object(options.snapshot).missing) as Readonly<Record<string, unknown>>;
  return Array.isArray(clear) ? clear.map(String) : [String(Object(set).attribute)];
}
