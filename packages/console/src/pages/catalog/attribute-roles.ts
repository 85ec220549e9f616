/** The roles of attributes in words. */
import { textsOf } from '../../texts/texts.js';

export const useRoleText = textsOf('attribute-roles', {
  sku: { en: 'SKU', de: 'SKU' },
  title: { en: 'Title', de: 'Titel' },
  image: { en: 'Picture', de: 'Bild' },
  active: { en: 'Active or not', de: 'Aktiv oder nicht' },
  isVariant: { en: 'Variant or not', de: 'Variante oder nicht' },
});
