/** Says by the name of a column what part it has in the files of shops. */

export type Role =
  | 'key'
  | 'name'
  | 'description'
  | 'price'
  | 'stock'
  | 'category'
  | 'image'
  | 'order'
  | 'customer'
  | 'quantity'
  | 'attribute'
  | 'valueType'
  | 'parent'
  | 'date'
  | 'status';

/** The first that fits counts. */
const NAMES: readonly (readonly [Role, RegExp])[] = [
  [
    'order',
    /^(?:order|bestell|auftrags?|commande|pedido|ordine|zam[oó]wieni|objedn[aá]vk|注文|受注|订单)[\s_-]?(?:id|no|nr|num|nummer|number|番号|号|e|a)?\.?$|order[\s_-]?(?:id|no|nr|num|name)|bestell(?:ung|nummer|nr|datum)|auftrag|rechnung|invoice|numer zam|č[ií]slo objedn|n[°º]? ?(?:de )?(?:commande|pedido)|numéro de commande|line ?item|lineitem/i,
  ],
  [
    'customer',
    /customer|kunde|client[e]?\b|klient|z[aá]kazn[ií]k|buyer|e-?mail|billing|shipping[\s_-](?:name|address|city|zip|street|country)|lieferadresse|rechnungsadresse|adresse|顧客|お届け先|购买者|phone|telefon/i,
  ],
  ['parent', /parent|eltern|übergeordnet|ueberkategorie|oberkategorie|padre|nadrz[eę]dn|rodi[cč]|親/i],
  ['attribute', /^attribut|attribute[\s_-]?(?:code|name|id)|^merkmal|^eigenschaft|^caract[eé]ristique|^cecha|^属性/i],
  [
    'valueType',
    /^(?:data[\s_-]?type|datentyp|type|typ|input[\s_-]?type|frontend[\s_-]?input|value[\s_-]?type|options?|optionen|required|pflicht|unit|einheit)$/i,
  ],
  [
    'stock',
    /stock|inventory|bestand|lager|verf[uü]gbar|availab|qty|quantity[\s_-]?(?:on|in)|on[\s_-]?hand|warehouse|voorraad|magazyn|stan\b|existencias|giacenza|disponib|sklad|在庫|库存|lieferzeit|lead[\s_-]?time|shelf|location|filiale|depot/i,
  ],
  [
    'price',
    /price|preis|prix|precio|prezzo|prijs|cena\b|ceny|pre[cç]o|pris\b|uvp|msrp|rrp|vk\b|ek\b|currency|w[aä]hrung|devise|moneda|valuta|tax|mwst|vat\b|tva\b|iva\b|rabatt|discount|価格|税|价格|币|gültig|valid|net(?:to)?\b|gross|brutto/i,
  ],
  [
    'key',
    /\bsku\b|^sku|artikel-?(?:nummer|nr|code|id)|article[\s_-]?(?:no|number|id|code)|art\.?-?nr|item[\s_-]?(?:no|number|id|code)|product[\s_-]?(?:id|code|no|number)|produkt-?(?:id|nr|nummer|code)|^ean|^gtin|^upc|barcode|^mpn|r[eé]f[eé]rence|referencia|codice|c[oó]digo|indeks|symbol|商品番号|商品コード|品番|jan|货号|商品编号|handle|^id$|^nr\.?$|^nummer$|^kod/i,
  ],
  [
    'category',
    /categor|kategor|catégor|warengruppe|product[\s_-]?type|rubri|sortiment|カテゴリ|类别|分类|^path$|pfad|^tree/i,
  ],
  ['description', /descri|beschreib|opis|omschrij|popis|langtext|kurztext|text\b|説明|描述|body/i],
  ['image', /image|bild|photo|foto|img|picture|media|obraz|zdj[eę]ci|画像|图片/i],
  [
    'name',
    /name|title|titel|bezeichnung|nom\b|nombre|titre|t[ií]tulo|titolo|naam|nazwa|n[aá]zev|商品名|名称|label|libell[eé]|designation|désignation/i,
  ],
  ['quantity', /quantit|qty|menge|anzahl|stück|ilo[sś][cć]|cantidad|数量|aantal/i],
  ['status', /status|aktiv|active|enabled|state|stav|statut|estado|stato/i],
  ['date', /date|datum|fecha|data\b|created|updated|日付|日期|zeit|time/i],
];

/** Null: any other column, such as that of an attribute. */
export function roleOf(name: string): Role | null {
  return NAMES.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

/** The columns of a feed for Google Merchant Center that no other file has together. */
const GOOGLE = new Set(
  (
    'id title description link image_link additional_image_link availability price sale_price brand gtin mpn condition ' +
    'google_product_category product_type item_group_id shipping identifier_exists age_group gender adult'
  ).split(' '),
);

/** How many columns are those of a feed, and whether those are among them that tell it from other files. */
export function googleColumns(names: readonly string[]): { count: number; isTypical: boolean } {
  const plain = names.map((name) =>
    name
      .toLowerCase()
      .replace(/^g:/, '')
      .replaceAll(/[\s-]+/g, '_'),
  );
  const isTypical = plain.includes('link') && plain.includes('image_link') && plain.includes('availability');
  return { count: plain.filter((name) => GOOGLE.has(name)).length, isTypical };
}
