/** The attributes of a category: those of its own can be added, made mandatory and taken away, each as one job with the way back. */
import type { BulkResult, schemas } from '@longshore/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Badge, Notice } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { type Assigned, assign } from './assign.js';
import { AttributePick } from './attribute-pick.js';
import type { TreeNode } from './category-tree.js';
import { FailedRows } from './failed-rows.js';
import { useCategoryAttributes } from './item-facts.js';
import { UndoWritten } from './undo-written.js';
import { useDefinitions } from './use-attributes.js';

const useText = textsOf('category-attributes', {
  attributes: { en: 'Attributes', de: 'Attribute' },
  none: { en: 'It has no attributes.', de: 'Sie hat keine Attribute.' },
  noneHelp: {
    en: 'Its items can have values of what you assign here.',
    de: 'Ihre Artikel können Werte von dem haben, was Sie hier zuordnen.',
  },
  mandatory: { en: 'mandatory', de: 'Pflicht' },
  inherited: { en: 'inherited', de: 'geerbt' },
  assign: { en: 'Assign an attribute', de: 'Attribut zuordnen' },
  assignButton: { en: 'Assign', de: 'Zuordnen' },
  noAttributes: {
    en: 'There are no attributes to assign. Create one first.',
    de: 'Es gibt keine Attribute zum Zuordnen. Legen Sie zuerst eines an.',
  },
  make: { en: 'Make mandatory', de: 'Zur Pflicht machen' },
  makeNot: { en: 'Not mandatory', de: 'Keine Pflicht' },
  unassign: { en: 'Unassign', de: 'Zuordnung lösen' },
  of: { en: '{action}: {name}', de: '{action}: {name}' },
  assigned: { en: '“{name}” is assigned', de: '„{name}“ ist zugeordnet' },
  changed: { en: '“{name}” is changed', de: '„{name}“ ist geändert' },
  unassigned: {
    en: '“{name}” is not assigned any more. The items keep the values that they have.',
    de: '„{name}“ ist nicht mehr zugeordnet. Die Artikel behalten die Werte, die sie haben.',
  },
  waits: { en: 'The change waits for an approval', de: 'Die Änderung wartet auf eine Freigabe' },
});

interface Done {
  readonly said: 'assigned' | 'changed' | 'unassigned';
  readonly name: string;
  readonly result: BulkResult;
}

export function CategoryAttributes({ node }: { readonly node: TreeNode }) {
  const t = useText();
  const api = useApi();
  const queries = useQueryClient();
  const { stage } = usePresent();
  const mayWrite = useMay('catalog:write');
  const { data: attributes, error: unknown } = useCategoryAttributes(node.nodeId);
  const [done, setDone] = useState<Done>();
  const { attempt, error, isBusy } = useAttempt();
  const load = async () => {
    await queries.invalidateQueries({ queryKey: ['category-attributes', stage.name] });
    await queries.invalidateQueries({ queryKey: ['attribute-uses', stage.name] });
  };
  const change = (said: Done['said'], name: string, next: (own: readonly Assigned[]) => readonly Assigned[]) =>
    attempt(async () => {
      setDone(undefined);
      const result = await assign(api, node.nodeId, next);
      setDone({ said, name, result });
      await load();
    });
  if (unknown !== null) return <ErrorPanel error={unknown} />;
  if (attributes === undefined) return null;
  return (
    <div className="changes-part">
      <h3>{t('attributes')}</h3>
      {attributes.length === 0 ? <p className="note">{t('none')}</p> : null}
      {attributes.length === 0 && mayWrite ? <p className="note">{t('noneHelp')}</p> : null}
      <ul className="assignments">
        {attributes.map((attribute) => (
          <li key={attribute.id} className="badges">
            <bdi className="sample">{attribute.name}</bdi>
            {attribute.required ? <Badge tone="warn">{t('mandatory')}</Badge> : null}
            {attribute.inherited ? <Badge tone="neutral">{t('inherited')}</Badge> : null}
            {mayWrite && !attribute.inherited ? (
              <OwnActions attribute={attribute} isBusy={isBusy} onChange={change} />
            ) : null}
          </li>
        ))}
      </ul>
      {mayWrite ? (
        <Assigning
          key={attributes.length}
          attributes={attributes}
          isBusy={isBusy}
          onAssign={(id, name) =>
            void change('assigned', name, (own) => [
              ...own.filter(({ attributeId }) => attributeId !== id),
              { attributeId: id, mandatory: false },
            ])
          }
        />
      ) : null}
      {error === undefined ? null : <ErrorPanel error={error} />}
      {done === undefined ? null : <Outcome done={done} onUndone={() => void load()} />}
    </div>
  );
}

interface OwnActionsProps {
  readonly attribute: schemas.CategoryAttribute;
  readonly isBusy: boolean;
  readonly onChange: (
    said: Done['said'],
    name: string,
    next: (own: readonly Assigned[]) => readonly Assigned[],
  ) => Promise<void>;
}

function OwnActions({ attribute: { id, name, required }, isBusy, onChange }: OwnActionsProps) {
  const t = useText();
  const make = t(required ? 'makeNot' : 'make');
  return (
    <>
      <Button
        kind="quiet"
        isDisabled={isBusy}
        aria-label={t('of', { action: make, name })}
        onPress={() =>
          void onChange('changed', name, (own) =>
            own.map((one) => (one.attributeId === id ? { ...one, mandatory: !required } : one)),
          )
        }
      >
        {make}
      </Button>
      <Button
        kind="quiet"
        isDisabled={isBusy}
        aria-label={t('of', { action: t('unassign'), name })}
        onPress={() => void onChange('unassigned', name, (own) => own.filter((one) => one.attributeId !== id))}
      >
        {t('unassign')}
      </Button>
    </>
  );
}

interface AssigningProps {
  readonly attributes: readonly schemas.CategoryAttribute[];
  readonly isBusy: boolean;
  readonly onAssign: (id: string, name: string) => void;
}

function Assigning({ attributes, isBusy, onAssign }: AssigningProps) {
  const t = useText();
  const { stage } = usePresent();
  const { data: definitions } = useDefinitions();
  const [chosen, setChosen] = useState<string>();
  if (definitions === undefined) return null;
  const has = new Set(attributes.map(({ id }) => id));
  const others = definitions.attributes.filter(({ id }) => !has.has(id));
  if (definitions.attributes.length === 0) {
    return (
      <p className="note">
        <Link to="/$stage/attributes" params={{ stage: stage.name }}>
          {t('noAttributes')}
        </Link>
      </p>
    );
  }
  if (others.length === 0) return null;
  const attribute = others.find(({ name }) => name === chosen);
  return (
    <form
      className="correct-all"
      onSubmit={(event) => {
        event.preventDefault();
        if (attribute !== undefined && !isBusy) onAssign(attribute.id, attribute.name);
      }}
    >
      <AttributePick label={t('assign')} attributes={others} chosen={chosen} onChoose={setChosen} />
      <Button type="submit" isDisabled={attribute === undefined || isBusy}>
        {t('assignButton')}
      </Button>
    </form>
  );
}

function Outcome({ done, onUndone }: { readonly done: Done; readonly onUndone: () => void }) {
  const t = useText();
  const { said, name, result } = done;
  if (result.failed.length > 0) return <FailedRows failed={result.failed} />;
  if (result.awaitingApproval.length > 0) return <Notice tone="warn" title={t('waits')} />;
  return (
    <>
      <Notice tone="good" title={t(said, { name })} />
      <UndoWritten key={result.jobIds[0]} jobId={result.jobIds[0] ?? ''} isOfDefinitions onUndone={onUndone} />
    </>
  );
}
