import type { PatternRecognizer } from '@millrace/guards/scanner'
import { evidence } from './evidence.ts'

/**
 * E-mail addresses: RFC 5321 lengths, internationalized (RFC 6531), without quoted local parts. Also with `%40`, as in
 * URLs.
 */
export const email: PatternRecognizer[] = [
  {
    type: 'email',
    pattern:
      /(?<![\p{L}\p{N}_$])[\p{L}\p{N}_](?:[\p{L}\p{N}._%+'’-]{0,62}[\p{L}\p{N}_%+'-])?(?:@|%40)(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,6}(?:\p{L}{2,24}|xn--[A-Za-z0-9-]{2,40})(?![\p{L}\p{N}])/u,
    maxLength: 320,
    score: (candidate, before) => {
      if (FILE_NAME.test(candidate) || PASSWORD.test(before)) return 0
      return /^(?:git|hg|svn)@/.test(candidate) ? evidence.format : evidence.certain
    },
  },
  {
    type: 'email',
    id: 'spelled_email',
    // `ann [at] example [dot] com`, `ann at example dot com`
    pattern:
      /(?<![\p{L}\p{N}_])[\p{L}\p{N}_][\p{L}\p{N}._+-]{0,40}(?: ?[[({<]{1,2} ?(?:at|ät|@|arroba|chiocciola) ?[\])}>]{1,2} ?[\p{L}\p{N}-]{1,40}(?: ?[[({<]{1,2} ?(?:dot|punkt|point|punto|ponto|kropka|\.) ?[\])}>]{1,2} ?|\.| dot )| at (?:[\p{L}\p{N}-]{1,40} dot ){1,3}| (?:arroba|chiocciola|arobase|ät|małpa|apenstaartje|собака) (?:[\p{L}\p{N}-]{1,40} (?:dot|punkt|point|punto|ponto|punt|kropka|точка) ){1,3})\p{L}{2,12}(?![\p{L}\p{N}])/iu,
    score: evidence.likely,
  },
]

/** Text before the password of a URL: the candidate begins with the password. */
const PASSWORD = /:\/\/[^\s/?#@"'<>]{0,48}:[^\s/?#@"'<>]{0,16}$/

/** `logo@2x.png`. */
const FILE_NAME =
  /@[1-9]x\.|\.(?:png|jpe?g|gif|svg|webp|bmp|css|scss|html?|[cm]?[jt]sx?|json|ya?ml|lock|md|py|txt)$/i
