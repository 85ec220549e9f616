/** Markup that is safe by construction: whatever is put into a template becomes text, unless it is markup itself. */

/** A piece of markup. Only `html` creates one, so that no stored text becomes markup. */
export class Html {
  private constructor(readonly text: string) {}

  /** @internal For `html`. */
  static of(text: string): Html {
    return new Html(text);
  }
}

/** Null, undefined and false are left out; of a list, each member is put in. */
type Value = Html | string | number | null | undefined | false | readonly Value[];

/** ``html`<td>${name}</td>` ``: values are text, in content and in quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = strings[0] ?? '';
  values.forEach((value, index) => {
    text += `${markupOf(value)}${strings[index + 1] ?? ''}`;
  });
  return Html.of(text);
}

function markupOf(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(markupOf).join('');
  return escapeText(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};
/** Characters that turn the direction of what follows, or hide it. */
const INVISIBLE = /\p{Cf}|(?![\t\n\r])\p{Cc}/gu;

function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '').replace(INVISIBLE, '\ufffd');
}
