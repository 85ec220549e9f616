/** Says by the name of a column what part it has in the files of shops. */

export type Role =
  | 'key'
  | 'name'
  | 'description'
  | 'price'
  | 'stock'
  | 'category'
  | 'image'
  | 'minimum'
  | 'order'
  | 'orderNumber'
  | 'customer'
  | 'quantity'
  | 'attribute'
  | 'valueType'
  | 'parent'
  | 'date'
  | 'status';

/** The first that fits counts. */
const NAMES: readonly (readonly [Role, RegExp])[] = [
  // How many have to be ordered at least is said by who sells.
  [
    'minimum',
    /(?:mindest|m[ií]nim|\bmin\b).*(?:order|bestel|commande|pedido|ordine|zam[oó]wieni|abnahme)|(?:order|bestell|commande|pedido|ordine|zam[oó]wienia).*(?:minim|\bmin\b)/i,
  ],
  [
    'order',
    /\border[\s-]?(?:date|status|total|lines?|name|items?|value)\b|bestellung|bestelldatum|besteldatum|auftrag|rechnung|invoice|financial status|line ?item|date de (?:la )?commande|data zam[oó]wienia|datum objedn|fecha (?:de|del) pedido|data (?:dell.)?ordine|注文日|受注/i,
  ],
  [
    'orderNumber',
    /^(?:order|commande|pedido|ordine|zam[oó]wienie|objedn[aá]vka)$|\border[\s-]?(?:id|no|nr|num|number|code)\b|bestell[\s-]?(?:nummer|nr|code)|bestel(?:nummer|code)|(?:num[eé]ro|n[°ºo]|n[uú]mero|numer|nr|referencia|codice|c[oó]digo|code|r[eé]f[eé]rence)\.? ?(?:de |d.|di )?(?:la )?(?:commande|pedido|ordine|zam[oó]wienia)|č[ií]slo objedn|注文番号|订单/i,
  ],
  [
    'customer',
    /customer|kunde|client[e]?\b|klient|klant|z[aá]kazn[ií]k|buyer|e-?mail|billing|shipping[\s_-](?:name|address|city|zip|street|country)|first name|last name|vorname|nachname|pr[eé]nom|nazwisko|imi[eę]\b|apellido|lieferadresse|rechnungsadresse|adresse|顧客|お届け先|购买者|\bphone|\btelefon|t[eé]l[eé]phone/i,
  ],
  ['parent', /parent|bovenliggend|eltern|übergeordnet|ueberkategorie|oberkategorie|padre|nadrz[eę]dn|rodi[cč]|親/i],
  [
    'attribute',
    /^att?ribu|^atrybut|attribute[\s_-]?(?:code|name|id)|^merkmal|^eigenschaft|^caract[eé]ristique|^cecha|^属性|^屬性|^속성/i,
  ],
  [
    'valueType',
    /^(?:data[\s_-]?type|datentyp|type|typ|tipo|input[\s_-]?type|frontend[\s_-]?input|value[\s_-]?type|options?|optionen|opciones|opzioni|required|pflicht|unit|einheit|unit[eé]|unidad|eenheid|jednostka)$/i,
  ],
  [
    'stock',
    /stock|inventory|bestand|lager|verf[uü]gbar|availab|qty|quantity[\s_-]?(?:on|in)|on[\s_-]?hand|warehouse|voorraad|magazyn|stan\b|existencias|giacenza|disponib|sklad|在庫|库存|庫存|재고|\bstok\b|απόθεμα|likutis|lieferzeit|lead[\s_-]?time|shelf|location|filiale|d[eé]p[oô]t|almac[eé]n|magazzino|остат|наличи|наявн|залиш|наличност|на склад|készlet|raktár|\bstoc\b|zaliha|lagersaldo|varasto|estoque|tồn kho|số lượng tồn|מלאי|المخزون|موجودی|สต็อก|คงเหลือ/i,
  ],
  [
    'price',
    /price|preis|prix|precio|prezzo|prijs|cena\b|ceny|pre[cç]o|pris\b|uvp|msrp|rrp|vk\b|ek\b|currency|w[aä]hrung|devise|moneda|valuta|tax|mwst|btw|vat\b|tva\b|iva\b|rabatt|discount|価格|税|价格|價格|币|幣|가격|fiyat|τιμή|kaina|gültig|valid|net(?:to)?\b|gross|brutto|цена|ціна|стоимост|fiyat|(?:bruttó|nettó|eladási) ár|preț|cijena|hinta|giá bán|מחיר|السعر|سعر|قیمت|ราคา/i,
  ],
  [
    'key',
    /\bsku\b|^sku|artikel-?(?:nummer|nr|code|id)|article[\s_-]?(?:no|number|id|code)|art\.?-?nr|item[\s_-]?(?:no|number|id|code)|part[\s-]?(?:no|number)|product[\s_-]?(?:id|code|no|number)|produkt-?(?:id|nr|nummer|code)|^ean|^gtin|^upc|barcode|^mpn|r[eé]f[eé]rence|referencia|codice|c[oó]digo|indeks|symbol|商品番号|商品コード|品番|jan|货号|商品编号|商品編號|貨號|상품 ?코드|상품 ?번호|품번|κωδικός|handle|^id$|^nr\.?$|^nummer$|^kod|артикул|код товар|номенклатур|штрих|cikkszám|cod produs|šifra|varenummer|tuotenumero|tuotekoodi|mã sản phẩm|mã hàng|מק"ט|קוד מוצר|رمز المنتج|كود المنتج|رقم الصنف|کد کالا|รหัสสินค้า|stok kodu|ürün kodu|prekės kodas/i,
  ],
  [
    'category',
    /categor|kategor|catégor|warengruppe|product[\s_-]?type|rubri|sortiment|カテゴリ|类别|分类|類別|分類|카테고리|κατηγορ|^path$|pfad|^tree|категор|kategór|danh mục|קטגוריה|الفئة|หมวดหมู่/i,
  ],
  [
    'description',
    /descri|beschreib|opis|omschrij|popis|langtext|kurztext|text\b|説明|描述|설명|açıklama|περιγραφή|aprašym|body|описан|^опис$|leírás|descriere|beskriv|kuvaus|mô tả|תיאור|الوصف|รายละเอียด/i,
  ],
  [
    'image',
    /image|bild|photo|foto|img|picture|media|obraz|zdj[eę]ci|画像|图片|圖片|이미지|resim|εικόνα|nuotrauk|изображ|картинк|фото|зображ|hình ảnh|תמונה|الصورة|صورة|รูปภาพ/i,
  ],
  [
    'name',
    /name|title|titel|bezeichnung|nom\b|nombre|titre|t[ií]tulo|titolo|naam|nazwa|n[aá]zev|商品名|名称|名稱|상품명|\bad[ıi]\b|όνομα|pavadinim|label|libell[eé]|designation|désignation|назван|наименован|назва|megnevez|terméknév|denumire|naziv|navn|namn|\bnimi\b|tuotenimi|tên sản phẩm|tên hàng|שם מוצר|שם המוצר|اسم المنتج|اسم الصنف|ชื่อสินค้า/i,
  ],
  [
    'quantity',
    /quantit|qty|menge|anzahl|stück|ilo[sś][cć]|cantidad|数量|數量|수량|aantal|количеств|кількіст|количин|số lượng|כמות|الكمية|จำนวน/i,
  ],
  ['status', /status|aktiv|active|enabled|state|stav|statut|estado|stato/i],
  ['date', /date|datum|fecha|data\b|created|updated|日付|日期|날짜|tarih|ημερομηνία|zeit|time/i],
];

/** Addresses of makers are those of no customers, and neither are groups of customers, what they think, and addresses of machines. */
const NO_CUSTOMER =
  /hersteller|manufacturer|supplier|lieferant|fabricant|fabrikant|producent|produttore|vendor|brand|marke|leverancier|fornitore|proveedor|dostawc|importeur|bewertung|rating|review|grupp|group|\b(?:ip|mac|web|url)[\s-]?ad/i;

/** Null: any other column, such as that of an attribute. */
export function roleOf(given: string): Role | null {
  const name = given.replaceAll('_', ' ');
  const isNoCustomer = NO_CUSTOMER.test(name);
  const found = NAMES.find(([role, pattern]) => !(role === 'customer' && isNoCustomer) && pattern.test(name));
  return found?.[0] ?? null;
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
