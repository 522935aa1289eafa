// Concepts of attacks and of texts that resemble them, with their words in fourteen languages. The words are folded:
// lower case, Latin letters without accents. A word that ends in `*` matches every word with this beginning. What the
// classifier learns about a concept in one language applies to all.

export type Concept =
  | 'ignore'
  | 'putAside'
  | 'earlier'
  | 'beginning'
  | 'instruction'
  | 'rule'
  | 'restriction'
  | 'safety'
  | 'without'
  | 'system'
  | 'prompt'
  | 'secret'
  | 'key'
  | 'reveal'
  | 'show'
  | 'repeat'
  | 'send'
  | 'delete'
  | 'pay'
  | 'run'
  | 'open'
  | 'address'
  | 'add'
  | 'answer'
  | 'tell'
  | 'ai'
  | 'model'
  | 'assistant'
  | 'judge'
  | 'translate'
  | 'user'
  | 'you'
  | 'your'
  | 'be'
  | 'act'
  | 'now'
  | 'renewed'
  | 'must'
  | 'not'
  | 'only'
  | 'all'
  | 'allowed'
  | 'forbidden'
  | 'mode'
  | 'end'
  | 'message'
  | 'document'
  | 'account'
  | 'praise'
  | 'candidate'
  | 'condition'
  | 'important'
  | 'i'
  | 'we'
  | 'they'
  | 'polite'
  | 'question'
  | 'attack'
  | 'example'
  | 'said'
  | 'fooled'
  | 'fiction'
  | 'everyday'
  | 'profession'
  | 'hidden'
  | 'owner'
  | 'confirm'
  | 'order'
  | 'harm'

const WORDS: Readonly<Record<Concept, string>> = {
  /** To ignore, disregard. */
  ignore: `ignor* disregard* forget* overrid* bypass* discard* neglect* vergiss vergesse* vergessen missacht* ubergeh* verwirf
   oublie* ignorez neglige* olvid* desestim* omit* ignor* dimentic* trascur* esque* desconsider* negeer* vergeet vergeten
   zignoruj* zapomn* pomin* игнор* проигнор* забуд* пренебре* unut* gormezden yoksay* aldirma تجاهل* انس انسى तजाहुल अनदेखा* भूल* भुला*
   忽略 无视 無視 忘记 忘掉 忘れ 不要理会 不用管`,
  /** To put aside. */
  putAside: `drop* abandon* leave laisse* laissez lass lasst deja* dejen lascia* lasciate deixe* deixa* laat zostaw* оставь* отбрось* birak* اترك* छोड़* 放到一边 抛开 脇に 捨て`,
  /** Earlier. */
  earlier: `previous* prior preced* earlier former foregoing vorherig* vorig* bisherig* fruher* precedent* anterior* previ* precedent* eerder* vorige
   voorgaand* poprzedn* wczesniej* предыдущ* прежн* ранее onceki* السابق* पिछल* पहले 之前 以前 先前 上面 前の 以前の これまで`,
  /** Above, at the beginning. */
  beginning: `above beginning begin* start* initial* original* oben anfang* debut ci-dessus arriba principio inicio sopra inizio acima comeco begin hierboven
   poczatk* powyzej выше начал* basta* yukarida* yukari البداية أعلاه शुरू* ऊपर 上述 开头 一开始 最初 上の 冒頭`,
  /** Instructions. */
  instruction: `instruct* directive* command* order* guideline* anweisung* vorgabe* befehl* instruktion* consigne* instrucc* ordenes indicacion* istruzion*
   indicazion* comand* instruc* orientac* opdracht* instruct* instrukcj* polecen* wytyczn* инструкц* указан* команд* приказ* talimat* komut* yonerge*
   تعليمات* التعليمات أوامر الأوامر निर्देश* आदेश* 指令 指示 命令 说明 吩咐 要求`,
  /** Rules. */
  rule: `rule* regel* regulation* policy policies polic* guardrail* regle* regla* norma* politica* regol* regra* zasad* regul* правил* kural* قواعد القواعد नियम* 规则 規則 规定 准则 ルール 決まり 規則`,
  /** Restrictions. */
  restriction: `restrict* constraint* limit* boundar* filter* censor* grenze* einschrank* beschrank* schranke* filtre* restrictio* limite* borne* restricc*
   restrizion* filtr* restric* barreira* beperking* grenzen ograniczen* granic* cenzur* огранич* границ* фильтр* цензур* sinir* kisitlama* filtre*
   قيود* القيود حدود* सीमा* पाबंद* प्रतिबंध* 限制 约束 过滤 審查 审查 制限 制約 フィルター`,
  /** Safety, morals, law. */
  safety: `safety secur* ethic* moral* legal* illegal* law laws sicherheit* gesetz* ethik* moral* securite loi lois ethique* seguridad ley leyes etic*
   sicurezz* legg* seguranc* lei leis veiligheid* wet wetten bezpieczen* praw* etyk* безопасн* закон* этик* морал* guvenlik* yasa* ahlak* etik
   السلامة الأمان قانون* قوانين أخلاق* सुरक्षा* क़ानून* कानून* नैतिक* 安全 道德 法律 伦理 合法 安全 倫理 法律`,
  /** Without, no longer. */
  without: `without unbound unrestrict* unfilter* uncensor* unlimit* free frei ungefiltert* uneingeschrankt* ohne sans libre* illimit* sin libre* senza liber* sem livre* zonder
   vrij* onbeperkt* bez woln* nieograniczon* без свобод* неогранич* sinirsiz* kisitsiz* ozgur* بدون بلا دون حر बिना आज़ाद* मुक्त* 没有任何 不受 自由 无限制 制限なし 自由に なしで`,
  /** The system, a developer, an administrator. */
  system: `system* developer* admin* root sudo debug* operator* entwickler* betreiber* systeme* developpeur* administrateur* sistema* desarrollador* sviluppator* desenvolvedor*
   ontwikkelaar* beheerder* systeem* programist* систем* разработчик* администратор* sistem* gelistirici* yonetici* النظام المطور المسؤول سيستم सिस्टम* डेवलपर* प्रशासक*
   系统 系統 开发者 管理员 システム 開発者 管理者`,
  /** A prompt. */
  prompt: `prompt* systemprompt* aufforderung* eingabeaufforderung* промпт* промт* prompta* مطالبة موجه प्रॉम्प्ट* 提示词 提示 プロンプト`,
  /** Secrets. */
  secret: `password* passphrase* passcode* secret* credential* confidential* passwort* kennwort* geheim* vertraulich* motdepasse secret* confidentiel* contrasen* clave* secreto*
   confidencial* credenzial* segret* riservat* senha* segred* wachtwoord* geheime* vertrouwelijk* haslo hasla hasel tajn* poufn* sekret* парол* секрет* тайн* конфиденц* sifre* parola* gizli* كلمة سر
   سري* السر पासवर्ड* गुप्त* राज़ गोपनीय* 密码 密碼 秘密 机密 口令 パスワード 秘密 機密 合言葉`,
  /** Keys and tokens. */
  key: `key keys token* apikey* schlussel* cle cles llave* chiave chiavi chave* sleutel* klucz* ключ* токен* anahtar* مفتاح* कुंजी* टोकन* 密钥 令牌 凭证 キー トークン 認証`,
  /** To reveal. */
  reveal: `reveal* disclos* leak* expos* divulg* verrat* enthull* offenbar* revel* devoil* desvel* rivel* svel* onthul* verklap* ujawni* zdradz* раскро* выда* acikla* ifsa ortaya اكشف* أفصح* افش* उजागर* प्रकट* खुलासा* 透露 泄露 揭示 公开 明かし 漏らし 公開`,
  /** To show, print. */
  show: `print* show* output* display* dump* list* zeig* gib ausgeb* affich* montr* imprim* muestr* mostr* imprim* mostra* stamp* mostre* exib* toon laat pokaz* wypisz* wyswietl* покаж* вывед* выпиш* напечат* goster* yazdir* listele* اعرض* اطبع* أظهر* दिखा* छाप* 显示 输出 打印 列出 展示 表示 出力 見せ 書き出`,
  /** To repeat, word for word. */
  repeat: `repeat* verbatim recit* exact* literal* wiederhol* wortlich* wort wortgetreu* repet* mot recopi* textuel* palabra textual* ripet* parola trascriv* repit* repita* transcrev* herhaal* letterlijk* woord powtorz* slowo doslown* przepisz* повтор* слово дословно kelimesi tekrarla* harfi كرر* حرفيا بكلمة दोहरा* शब्द हूबहू 重复 逐字 一字不差 原文 繰り返 一字一句 そのまま`,
  /** To send. */
  send: `send* forward* post transmit* upload* exfiltrat* submit* mail email* schick* send* weiterleit* leit* hochlad* envoi* envoy* transfer* transmet* televers* envia* envie* reenvi* sube* invi* inoltr* spedis* carica* envie* encaminh* stuur* verstuur* upload* doorsturen wyslij* wysyl* przekaz* przeslij* отправ* перешл* пошл* загруз* gonder* ilet* yukle* yonlendir* أرسل* ارسل* حول* توجيه भेज* अग्रेषित* 发送 转发 上传 寄给 发给 送信 転送 送って アップロード`,
  /** To delete. */
  delete: `delet* remov* eras* wipe* losch* entfern* supprim* effac* elimin* borra* borre* cancell* apag* exclu* verwijder* wis wist usun* skasuj* kasuj* удал* сотр* sil silin* siler* silme* kaldir* احذف* امسح* हटा* मिटा* 删除 清除 移除 削除 消して 消去`,
  /** To transfer money, to buy. */
  pay: `transfer* wire pay* payment* purchas* buy refund* uberweis* zahl* kauf* virement* paie* pay* achet* remboursement transfier* pag* compr* reembols* bonific* pagar* rimbors* acquist* transfir* compre* overmaken betaal* koop* przelej* przelew* zaplac* kup перевед* перевод* оплат* куп* havale* ode* satin حوّل ادفع* دفع शुल्क भुगतान* ट्रांसफर* ख़रीद* 转账 付款 支付 汇款 购买 振込 送金 支払 購入`,
  /** To run, call a tool. */
  run: `execut* run runs invok* call tool tools function* script* shell* ausfuhr* fuhr fuhre aufruf* ruf rufe werkzeug* funktion* execute* appell* outil* lance* ejecut* llam* herramient* funcion* esegu* chiam* strument* funzion* ferramenta* cham* funcao voer roep hulpmiddel* functie* uruchom* wywol* narzedzi* funkcj* выполн* вызов* запуст* инструмент* функци* calistir* cagir* arac* fonksiyon* شغل* نفذ* استدع* أداة الأداة चला* टूल* फ़ंक्शन* 执行 运行 调用 工具 函数 実行 呼び出 ツール 関数`,
  /** To open, visit. */
  open: `open* visit* click* brows* fetch* download* navigat* offne* besuch* klick* lade ouvr* visit* cliqu* telecharg* abr* visit* clic descarg* apri* clicca* scaric* acess* cliqu* baix* bezoek* klik* download* otworz* odwiedz* klikn* pobierz* открой* перейд* нажм* скачай* ac tikla* ziyaret* indir* افتح* زر انقر* حمّل خोल* खोल* क्लिक* डाउनलोड* 打开 访问 点击 下载 開いて アクセス クリック ダウンロード`,
  /** A link, an address. */
  address: `link* url* https http www mailto address* adresse* lien* enlace* direccion* collegament* indirizz* endereco* adres* odnosnik* ссылк* адрес* baglanti* adres* رابط* عنوان* लिंक* पता पते 链接 网址 地址 邮箱 リンク アドレス`,
  /** To add, include, attach. */
  add: `add adds append* includ* insert* attach* embed* fug fuge hinzu* ergan* anhang* ajout* inclu* joign* joins anad* agreg* inclu* adjunt* aggiung* inser* alleg* adicion* anex* voeg* toevoegen bijvoeg* dodaj* dolacz* zalacz* wstaw* добав* включ* прилож* встав* ekle* أضف* اضف* أدرج* أرفق* जोड़* शामिल* 添加 加上 附上 插入 包含 追加 含め 添付 入れて`,
  /** To write, say, answer. */
  answer: `write* say* respond* reply* answer* state* schreib* sag sage* antwort* beantwort* ecri* dis dites repond* escrib* di diga* respond* contest* scriv* rispond* escrev* diga* respond* schrijf* zeg* antwoord* napisz* powiedz* odpowi* odpisz* напиш* скаж* ответ* отвеч* yaz yazin yaza* soyle* cevap* yanit* اكتب* قل قولي أجب* اجب* رد लिख* बोल* कह* जवाब* उत्तर* 写 说 回答 回复 答复 書い 書け 言って 答え 返信 回答`,
  /** To tell, mention. */
  tell: `tell* mention* inform* notif* alert* erwahn* verrat* mitteil* sag mentionn* parle* informe* previen* mencion* avis* comuniqu* menzion* dir dire avvis* mencione* coment* vermeld* vertel* noem* wspomin* mow mowi* informuj* упомин* говор* сообща* сообщи* bahset* soz haber تذكر* أخبر* اخبر* تخبر* ज़िक्र* बता* सूचित* 提起 提及 告诉 告知 通知 触れ 伝え 知らせ 言及 教え nenn* nomm* citer cite nombr* nombrar nomin* citar называ* назови`,
  /** AI. */
  ai: `ai ki llm llms gpt* chatgpt chatbot* bot bots ia ii yz copilot* gemini claude llama sztuczn* нейросет* ии бот* чат-бот чатбот* yapay zeka* zekâ* sohbet الذكاء الاصطناعي روبوت* بوت एआई बॉट* चैटबॉट* 人工智能 机器人 智能体 人工知能 ボット チャット artificial* artificiel* kunstlich* искусствен* 智能客服`,
  /** A language model. */
  model: `model models modell* sprachmodell* modele* modelo* modello* modelli taalmodel* language linguist* linguagg* lenguaje linguagem jezykow* модел* языков* dil model* modeli نموذج* لغوي* मॉडल* भाषा 模型 语言模型 モデル 言語モデル`,
  /** An assistant, agent. */
  assistant: `assistant* agent* assistent* assistente* asistent* asistente* asystent* asystenc* agente* ассистент* помощник* агент* asistan* yardimci* مساعد* المساعد* وكيل सहायक* एजेंट* 助手 助理 代理 アシスタント エージェント`,
  /** A reader or judge: a screener, grader, summarizer. */
  judge: `reader* screen* process* summar* grader* reviewer* classif* evaluat* zusammenfass* bewert* fass fasse automatisch* resum* evalu* valut* riassum* avali* samenvat* beoordel* vat streszcz* podsumow* ocenia* ocen обобщ* переска* оцен* резюм* ozet* degerlendir* تلخ* لخص* تقيي* सार सारांश* मूल्यांकन* 总结 摘要 概括 评估 筛选 要約 評価 審査 reads reading analy* handl* sorts sorting index* compar* liest lesen auswert* bearbeit* vergleich* lit lisent lisant traite* lee lean leyendo procesen procesa* analiz* legge leggono leggendo confront* le leem lendo tratam leest lezen verwerk* vergelijk* czyta* przetwarza* porownu* читает читают читающ* обрабатыва* анализ* сравнива* okuyan isleyen karsilastir* يقرا يقرأ يعالج يحلل تقرأ تعالج पढ़ने विश्लेषण 读到 阅读 处理 分析 比较 読む 処理 分析 比較`,
  /** To translate. */
  translate: `translat* ubersetz* tradu* vertaal* przetlumacz* tlumacz* перевед* перевест* cevir* ترجم* अनुवाद* 翻译 翻譯 翻訳 訳して`,
  /** A user, customer. */
  user: `user* customer* client* human* nutzer* benutzer* kunde* utilisateur* usuari* cliente* utente* utenti gebruiker* klant* uzytkownik* klient* пользовател* клиент* kullanici* musteri* المستخدم* العميل* उपयोगकर्ता* ग्राहक* यूज़र* 用户 客户 顾客 ユーザー 客 利用者`,
  /** You. */
  you: `you du sie euch tu vous te usted ustedes tú lei voi ti voce voces jij je u ty ci cie wy ты вы тебе тебя вам sen siz sana size أنت أنتم لك तुम आप तुम्हें तू 你 您 你们 あなた 君 お前`,
  /** Your. */
  your: `your yours dein* ihre* ihr ton ta tes votre vos tus su tuo tua tuoi tue suo seu sua seus suas jouw uw twoj* twoja twoje твои* твой* ваш* твоя senin sizin لديك تعليماتك लिए तुम्हार* आपक* 你的 您的 あなたの 君の`,
  /** You are, be. */
  be: `are be bist sei seid es etes sois soyez eres sea sé sos è sia siate seja és bent wees jestes badz является будь будьте ol olun olacaksin كن है हो बनो 是 变成 です なり なる`,
  /** To act, pretend, a role. */
  act: `act acts pretend* roleplay* simulat* imagin* persona* role roles character* impersonat* tu so rolle* spiel* verkorper* joue* jouer role* imagine* fais comme actua* papel finge* rol imagina haz recit* ruolo fing* immagin* atu* finja* papel doe alsof speel* rol udawaj* rola role wciel* zachowuj* притвор* роль* представ* веди сделай davran* rol* gibi canlandir* تصرف* تظاهر* دور* تخيل* भूमिका* नाटक* कल्पना* व्यवहार* 扮演 角色 假装 想象 就当 演じ 役 ふり ロール 想像`,
  /** Now, from now on. */
  now: `now henceforth hereafter onwards jetzt nun sofort ab desormais maintenant partir ahora adelante ora adesso poi agora diante nu voortaan vanaf teraz odtad tej теперь сеичас сейчас отныне момента artik simdi itibaren bundan الآن آن فصاعدا اللحظة अब अभी से क्षण 现在 从现在 此刻 今后 今から これから 今後 瞬間`,
  /** New. */
  renewed: `new neu* nouve* nuev* nuov* nov* nieuw* now* нов* yeni* جديد* नए नई नया 新的 新 新しい 新たな`,
  /** Must. */
  must: `must shall should have need* required mandatory musst mussen soll* devez dois doit faut debe* tiene* deve* devi dovete moet* dien* musi* powin* trzeba долж* нужно необходимо обязан* gerek* zorunda* lazim malisin يجب عليك لابد चाहिए ज़रूरी अनिवार्य 必须 应当 应该 需要 べき なければ 必要 必ず`,
  /** Not, never. */
  not: `not never no don dont nicht nie niemals kein* keine ne pas jamais aucun* rien nunca ningun* nada non mai nessun* niente nao nunca nenhum* niet nooit geen niets nie nigdy zadn* не никогда нет никак* asla hicbir yok degil لا لن ليس أبدا أي मत न नहीं कभी कोई 不要 不 别 没有 无 ない なく しない ません ず`,
  /** Only, instead. */
  only: `only just instead merely nur lediglich stattdessen seulement uniquement plutot solo solamente solo soltanto invece apenas somente alleen slechts enkel plaats tylko jedynie zamiast только лишь вместо yalnizca sadece yerine فقط بدلا केवल सिर्फ़ बजाय 只 仅 而是 だけ のみ 代わりに`,
  /** All, everything, any. */
  all: `all any every* anything alles alle* jede* tout* toute* tous todo* toda* todos tutt* ogni qualsiasi tudo qualquer alles iedere* elk* wszystk* kazd* cokolwiek все всё всем люб* butun tum her hepsi كل جميع أي सब सभी हर कुछ 所有 全部 一切 任何 すべて 全て 何でも 全部`,
  /** Allowed, agreed. */
  allowed: `allow* permit* authoriz* authoris* approv* agree* consent* erlaub* genehmig* einverstanden autoris* permis* accord* autoriz* permit* aprob* autorizz* approv* permess* autoriz* permit* aprov* toestem* goedgekeurd* toegestaan zgod* pozwol* zatwierdz* разреш* одобр* согла* izin* onay* kabul مسموح* مصرح* وافق* موافق* अनुमति* मंज़ूर* स्वीकृत* 允许 授权 同意 批准 许可 許可 承認 同意`,
  /** Forbidden. */
  forbidden: `forbid* forbidden prohibit* refus* declin* reject* verbot* verweiger* ablehn* interdi* refuse* prohib* rechaz* negar* proib* viet* rifiut* proib* recus* verboden weiger* zabron* zakaz* odmaw* odmow* запре* отказ* yasak* reddet* ممنوع* محظور* رفض* मना* वर्जित* इनकार* 禁止 拒绝 违禁 不准 禁じ 禁止 拒否 断`,
  /** Mode. */
  mode: `mode modus modo modalita tryb* режим* mod moduna modu modunda وضع الوضع मोड* 模式 モード`,
  /** Ends and stops: of a text, a role, an order. */
  end: `stop ends ended terminat* finish* ende* beend* hor arret* fin termin* fine finisc* fim termin* stop* einde konie* zakoncz* конец закончи* прекрати* bitti bitir* son توقف* نهاية انته* समाप्त* रुक* बंद 结束 停止 终止 終わり 終了 やめ 停止`,
  /** A message, a mail, a conversation. */
  message: `message* conversation* chat* inbox mailbox nachricht* gesprach* mails posteingang courrier* courriel* boite mensaje* correo* conversacion* buzon messagg* mail posta mensage* conversa* caixa bericht* gesprek* wiadomosc* mail* rozmow* skrzyn* сообщени* письм* переписк* разговор* чат mesaj* e-posta* posta* konusma* sohbet* رسالة رسائل الرسائل بريد البريد محادثة संदेश* ईमेल* मेल* बातचीत* 消息 邮件 对话 聊天 信息 メッセージ メール 会話`,
  /** A document, page, text. */
  document: `document* page* text* file* article* dokument* seite* datei* texte* fichier* documento* pagina* texto* archivo* testo* arquivo* tekst* bestand* plik* strona документ* страниц* текст* файл* belge* sayfa* metin* dosya* مستند* المستند صفحة نص النص ملف* दस्तावेज़* पेज* पाठ फ़ाइल* 文件 文档 页面 文本 网页 文書 ページ テキスト ファイル 資料`,
  /** An account, data. */
  account: `account* data personal* konto* daten donnee* compte* cuenta* datos dati conto conta* dados rekening* gegevens kont* dane danych счет* счёт* данн* аккаунт* hesap* veri* حساب* بيانات* खाता खाते डेटा* आंकड़* 账户 账号 数据 资料 口座 アカウント データ`,
  /** To recommend, praise, rate. */
  praise: `recommend* prais* score* grade* rating* rank* best empfehl* empfiehl* loben note* punkt* hochst* recommand* meilleur* maximal* recomiend* recomend* puntu* nota mejor* raccomand* consigli* voto punteggio miglior* alto recomend* pontu* melhor* aanbeve* beveel* cijfer* hoogst* polec* ocen* najwyz* рекоменд* посовет* балл* оценк* высш* oner* puan* not en درجة أوص* أعلى सिफ़ारिश* अंक* सर्वश्रेष्ठ 推荐 最高 满分 评分 最好 推薦 勧め 最高 点`,
  /** A candidate, an application. */
  candidate: `candidate* applicant* application* resume* cv bewerb* kandidat* lebenslauf* candidat* postul* candidato* solicitud* candidatur* curricul* candidat* sollicit* kandydat* podan* zyciorys* кандидат* заявк* резюме aday* basvuru* ozgecmis* المرشح* مرشح* طلب उम्मीदवार* आवेदन* 候选人 简历 申请 候補者 応募 履歴書`,
  /** If, when. */
  condition: `if when whenever wenn falls sobald si quand lorsque cuando se quando als wanneer indien jesli jezeli gdy kiedy если когда eger ise اذا إذا عندما अगर यदि जब 如果 当 もし 場合 たら なら`,
  /** Important. */
  important: `important* urgent* attention warning* notice note wichtig* dringend* achtung hinweis* avis importante* urgente* aviso* atencion attenzione avviso atencao belangrijk* let op uwaga wazn* piln* внимание важн* срочн* önemli onemli* acil* dikkat مهم* عاجل* تنبيه* انتباه महत्वपूर्ण* ध्यान ज़रूरी सूचना 重要 紧急 注意 警告 緊急 注意 お知らせ`,
  /** I, me, my. */
  i: `i me my mine ich mir mich mein* je moi mon ma mes yo mi mis io mio mia miei eu meu minha mim ik mij mijn ja mnie moj* moja я мне мой* меня моя ben bana benim أنا لي मैं मुझे मेर* 我 我的 私 僕 俺`,
  /** We, our. */
  we: `we us our ours wir uns unser* nous notre nos nosotros nuestr* noi nostr* nos nosso* nossa* wij ons onze my nas nam nasz* мы нас нам наш* biz bizim نحن لدينا हम हमें हमार* 我们 私たち 弊社 当社`,
  /** He, she, they. */
  they: `he she they him her them his their er ihm ihn il elle ils elles lui leur el ella ellos ellas lui loro ele ela eles elas hij zij hem haar hun on ona oni jej jego он она они его ее её их ему ей onlar onun هو هي هم वह वे उस* उन* 他 她 他们 彼 彼女 彼ら`,
  /** Please, thanks, polite forms. */
  polite: `please thank* kindly regards bitte danke* freundlich* merci plait cordialement veuillez por favor gracias saludos ruego* grazie prego cordiali preghiamo obrigad* pedimos atenciosamente alstublieft dank* groet* wilt prosz* prosimy dzieku* pozdraw* пожалуиста пожалуйста спасибо просим уважением lutfen tesekkur* saygilar* rica من فضلك شكرا يرجى نرجو कृपया धन्यवाद सादर 请 谢谢 敬上 ください お願い ありがとう 敬具`,
  /** To ask how, what, why. */
  question: `how what why which where who wie was warum welche* wo wer comment quoi pourquoi quel* ou qui como que por cual* donde come cosa perche quale dove chi qual onde quem hoe wat waarom welke waar wie jak co dlaczego ktor* gdzie kto как что почему какои какой где кто nasil ne neden hangi nerede كيف ما ماذا لماذا أين क्या कैसे क्यों कौन कहाँ 怎么 怎样 什么 为什么 哪 如何 どう なに 何 なぜ どの どこ`,
  /** Attacks, injections: words of texts about attacks. */
  attack: `attack* inject* jailbreak* hack* exploit* angriff* hacker* attaqu* ataqu* attacc* aanval* atak* wlaman* атак* взлом* инъекц* saldiri* هجوم* اختراق* हमल* हैक* 攻击 攻擊 注入 越狱 攻撃 インジェクション`,
  /** Examples, lectures, articles: words of texts about attacks. */
  example: `example* lecture* course* paper* research* article* blog* study security beispiel* vortrag* kurs* aufsatz exemple* cours conference ejemplo* clase curso charla esempi* lezione corso exemplo* aula palestra voorbeeld* lezing les przyklad* zajec* wyklad* пример* лекци* заняти* урок* ornek* ders* makale* محاضرة* مثال* درس* उदाहरण* कक्षा व्याख्यान* लेख 例子 课 讲座 论文 例 授業 講義 論文 記事`,
  /** Reported speech. */
  said: `said says told asked replied wrote quote* quoted phrase* sentence* sagte schrieb zitat* satz* dit disait phrase* citation* dijo frase* cita* disse frase* citazion* disse citou zei schreef zin citaat* powiedzial* zdani* cytat* сказал* написал* фраз* цитат* dedi* cumle* alinti* قال* جملة* عبارة* कहा वाक्य* बोला 说过 这句话 引用 と言 という文 引用`,
  /** To trick, deceive. */
  fooled: `trick* fool* decei* manipulat* getauscht hereingelegt uberlistet* tromp* dup* engan* ingann* manipol* misleid* oszuk* обман* kandir* خدع* धोखा* 欺骗 骗 だま 騙`,
  /** Fiction. */
  fiction: `story* novel* fiction* tale film* movie* game* geschichte* roman* spiel* histoire* roman* jeu* film* historia* novela* juego* cuento storia romanz* gioco histori* romance* jogo* verhaal* roman* spel opowies* powiesc* gra gre рассказ* роман* истори* игр* hikaye* roman* oyun* قصة* رواية* لعبة* कहानी* उपन्यास* खेल* 故事 小说 游戏 电影 物語 小説 ゲーム 映画`,
  /** Everyday subjects of instructions, such as recipes. */
  everyday: `recipe* bake* oven rezept* backen recette* four receta* horno ricett* forno receita* recept* oven przepis* piekarnik* рецепт* духовк* tarif* firin* وصفة* فرن नुस्खा विधि* 菜谱 烤箱 レシピ オーブン`,
  /** Ordinary roles: a teacher, a coach, a guide. */
  profession: `teacher* tutor* coach* guide* chef lehrer* trainer* koch professeur* guide* profesor* maestro* guia* cociner* insegnant* professor* guida* cuoc* leraar* docent* kok nauczyciel* przewodnik* kucharz* учител* повар* гид ogretmen* rehber* asci معلم* مدرس* दिशादर्शक शिक्षक* गाइड* 老师 教师 导游 厨师 先生 教師 ガイド シェフ`,
  /** Hidden, silently. */
  hidden: `hidden hide* silent* quiet* secretly versteckt* verborgen* heimlich* still cach* discret* oculto* escond* silencio* nascost* segretamente silenzi* escondid* oculta* verborgen* stilletjes ukryt* cicho potajemnie скрыт* тайно молча gizlice sessiz* sakla* خفية سرا مخفي* छिपा* चुपके* 隐藏 悄悄 偷偷 隠 こっそり 黙って`,
  /** An owner, a manager: a person who gives orders. */
  owner: `owner* boss ceo manager* supervisor* chef* inhaber* vorgesetzt* patron* proprietaire* dueno* jefe* capo proprietari* dono* chefe* eigenaar* baas wlasciciel* szef* владел* начальник* sahib* mudur* patron* المدير المالك मालिक* प्रबंधक* 老板 主管 经理 上司 社長 所有者`,
  /** To confirm, check, verify. */
  confirm: `confirm* check* verif* validat* bestatig* pruf* verifi* compro* confirm* controll* conferm* bevestig* controle* potwierdz* sprawdz* подтверд* провер* onayla* dogrula* kontrol* أكد* تحقق* पुष्टि* जाँच* जांच* 确认 检查 验证 核实 確認 検証`,
  /** Before, after, then. */
  order: `before after then bevor nachdem danach avant apres ensuite antes despues luego prima dopo poi depois voordat daarna nadat zanim potem nastepnie прежде после затем once sonra قبل بعد ثم पहले बाद फिर 之前 之后 然后 前に 後に その後`,
  /** Weapons, drugs, harm. */
  harm: `bomb* weapon* drug* poison* malware* virus* steal* kill* bombe* waffe* droge* gift* arme* drogue* voler bomba* arma* droga* robar veneno* rubare uccid* roubar matar wapen* stelen doden bron narkotyk* ukrasc zabic бомб* оруж* наркот* убить украсть bomba* silah* uyusturucu* oldur* calmak قنبلة سلاح مخدر* قتل سرقة बम हथियार* ज़हर* हत्या चोरी 炸弹 武器 毒品 杀 偷 爆弾 武器 麻薬 殺 盗`,
}

const NAMES = Object.keys(WORDS) as Concept[]

/** The number of each concept, from 1. */
export const CONCEPTS: Readonly<Record<Concept, number>> = Object.fromEntries(
  NAMES.map((name, index) => [name, index + 1]),
) as Record<Concept, number>

const SPACED = /^[^\u3040-\u30ff\u3400-\u9fff]/

const EXACT = new Map<string, number>()
/** Words with `*`, by their first two characters. */
const BEGINNINGS = new Map<string, [string, number][]>()
/** Words in scripts without spaces, by their first character. */
const UNSPACED = new Map<string, [string, number][]>()

for (const name of NAMES) {
  const concept = CONCEPTS[name]
  for (const word of WORDS[name].split(/\s+/)) {
    if (!SPACED.test(word)) addTo(UNSPACED, word[0] as string, [word, concept])
    else if (word.endsWith('*')) addTo(BEGINNINGS, word.slice(0, 2), [word.slice(0, -1), concept])
    else if (!EXACT.has(word)) EXACT.set(word, concept)
  }
}
for (const list of [...BEGINNINGS.values(), ...UNSPACED.values()])
  list.sort((a, b) => b[0].length - a[0].length)

function addTo(map: Map<string, [string, number][]>, key: string, entry: [string, number]): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [entry])
  else list.push(entry)
}

/** The concept of a folded word; 0 if it has none. */
function conceptOf(word: string): number {
  const exact = EXACT.get(word)
  if (exact !== undefined) return exact
  if (word.length < 3) return 0
  for (const [beginning, concept] of BEGINNINGS.get(word.slice(0, 2)) ?? []) {
    if (word.startsWith(beginning)) return concept
  }
  // Without the Arabic article.
  return word.length > 4 && word.startsWith('ال') ? conceptOf(word.slice(2)) : 0
}

/** The concepts of the folded words of one token, which is the text between two white spaces. */
export function conceptsOf(words: readonly string[], written: string): number[] {
  const concepts = words.map(conceptOf)
  if (words.length > 0 && written.includes('@') && /@[^@\s]+\./.test(written)) concepts[0] = CONCEPTS.address
  if (words.length === 1 && words[0]?.length !== 1) return concepts
  for (let place = 0; place < words.length; place++) {
    const own = UNSPACED.get(words[place] as string)
    if (own === undefined) continue
    for (const [characters, concept] of own) {
      if (!standsAt(words, place, characters)) continue
      concepts[place] = concept
      break
    }
  }
  return concepts
}

function standsAt(words: readonly string[], place: number, characters: string): boolean {
  for (let index = 0; index < characters.length; index++) {
    if (words[place + index] !== characters[index]) return false
  }
  return true
}
