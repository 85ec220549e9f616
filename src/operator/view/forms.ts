/** Forms that change something: each has the token by which the page is known as its origin. */
import { type Html, html } from './html.js';

export interface Forms {
  readonly token: string;
}

/**
 * A button that leads to the confirmation of an action.
 * @param of what it is done to, for those who do not see where the button stands
 */
export function actionButton(
  forms: Forms,
  action: string,
  filter: Readonly<Record<string, string | undefined>>,
  label: string,
  of?: string,
): Html {
  return html`<form method="post" action="/admin/actions">${fields(forms, { action, ...filter })}
<button class="${action === 'cancel' ? 'danger' : 'quiet'}">${label}${of !== undefined && html`<span class="skip"> ${of}</span>`}</button></form>`;
}

/** The confirmation of an action, with what it will be done to. */
export function confirmation(
  forms: Forms,
  action: string,
  filter: Readonly<Record<string, string | undefined>>,
  explanation: Html,
): Html {
  return html`<section><p class="answer">${TITLES[action] ?? action}: ${describeFilter(filter)}</p>${explanation}
<form method="post" action="/admin/actions">${fields(forms, { action, ...filter, confirmed: 'yes' })}
<div class="actions"><button${action === 'cancel' && html` class="danger"`}>${TITLES[action] ?? action}</button> <a href="/admin">Do nothing</a></div></form></section>`;
}

/** What the actions are called. */
export const TITLES: Readonly<Record<string, string>> = {
  cancel: 'Cancel jobs',
  retry: 'Retry jobs',
  resume: 'Resume endpoints',
  replay: 'Replay deliveries',
};

/** A form that stops an action. */
export function stopForm(forms: Forms, id: string): Html {
  return html`<form method="post" action="/admin/actions/${id}/stop">${fields(forms, {})}<button class="danger">Stop this action</button></form>`;
}

function fields(forms: Forms, values: Readonly<Record<string, string | undefined>>): Html {
  const all = Object.entries({ ...values, token: forms.token });
  return html`${all.map(([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`)}`;
}

/** A filter in words. */
export function describeFilter(filter: unknown): string {
  const chosen = Object.entries(Object(filter)).filter(([, value]) => value !== undefined && value !== '');
  return chosen.length === 0 ? 'all' : chosen.map(([name, value]) => `${name} ${String(value)}`).join(', ');
}
