/** Folders that hold secrets, with all that is in them. `.git` has the addresses of remotes, with passwords in them. */
const FOLDERS: ReadonlySet<string> = new Set(['.aws', '.azure', '.docker', '.git', '.gnupg', '.kube', '.ssh'])

const FILES: ReadonlySet<string> = new Set([
  '.git-credentials',
  '.htpasswd',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.pypirc',
  '.vault-token',
  '.yarnrc.yml',
  '_netrc',
])

const PATTERN =
  /^(?:\.env.*|id_(?:rsa|dsa|ecdsa|ed25519).*|.*\.(?:jks|key|keystore|p12|pem|pfx|ppk|tfstate))$/

/** Short names that Windows gives to `.git` and `.env`, such as `GIT~1`. */
const SHORT_NAME = /^(?:git|env|ssh)[^.]*~\d/

/** Whether one of the names of a path stands for secrets. */
export function isDenied(segments: readonly string[]): boolean {
  return segments.some((segment) => {
    const name = folded(segment)
    return FOLDERS.has(name) || FILES.has(name) || PATTERN.test(name) || SHORT_NAME.test(name)
  })
}

/**
 * A name as the most lenient file system reads it: regardless of case, of Unicode's forms, of characters that do not
 * show (HFS+), and of dots and spaces at the end (Windows).
 */
function folded(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Cc}\p{Mn}]/gu, '')
    .toLowerCase()
    .replace(/(?<![. ])[. ]+$/, '')
}
