import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkFile, readChecked } from './opened-file.ts'
import { isRefusal } from './refusal.ts'
import { Workspace, type WorkspaceOptions } from './workspace.ts'

const SECRET = 'the secret of the house'
let folder: string
let root: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-workspace-')))
  root = join(folder, 'root')
  mkdirSync(root)
  write('../secret.txt', SECRET)
  write('../outside/secret.txt', SECRET)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, content: string | Buffer = path): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

const workspace = (options: Partial<WorkspaceOptions> = {}) => new Workspace({ root, ...options })
const read = (path: string, options?: Partial<WorkspaceOptions>) => workspace(options).read(path)

/** Names of a listing, with `/` behind those of folders, and what is in them. */
async function listed(path = '.', options = {}, settings?: Partial<WorkspaceOptions>) {
  const listing = await workspace(settings).list(path, options)
  if (isRefusal(listing)) return listing
  const names = (entries: typeof listing.entries, before: string): string[] =>
    entries.flatMap(({ name, kind, folder }) => [
      `${before}${name}${kind === 'folder' ? '/' : ''}`,
      ...(folder ? names(folder.entries, `${before}${name}/`) : []),
    ])
  return names(listing.entries, '')
}

describe('a file', () => {
  test('is read by its path relative to the root', async () => {
    write('docs/a.md', '# Title\n')
    expect(await read('docs/a.md')).toEqual({ path: 'docs/a.md', text: '# Title\n', size: 8, isWhole: true })
    expect(await read('./docs//a.md')).toMatchObject({ path: 'docs/a.md' })
  })

  test('is read up to the limit, without a partial character', async () => {
    write('long.txt', 'ää'.repeat(10))
    expect(await read('long.txt', { maxFileBytes: 5 })).toEqual({
      path: 'long.txt',
      text: 'ää',
      size: 40,
      isWhole: false,
    })
  })

  test.each(['utf-16le', 'utf-16be'])('is read in %s with a byte order mark', async (encoding) => {
    const bytes = Buffer.from('\ufeffGrüße', 'utf16le')
    write('wide.txt', encoding === 'utf-16be' ? bytes.swap16() : bytes)
    expect(await read('wide.txt')).toMatchObject({ text: 'Grüße' })
  })

  test('can be empty, and loses its byte order mark', async () => {
    write('empty.txt', '')
    write('marked.txt', '\ufeffhello')
    expect(await read('empty.txt')).toMatchObject({ text: '', isWhole: true })
    expect(await read('marked.txt')).toMatchObject({ text: 'hello' })
  })

  test('can have any name that is not a path', async () => {
    for (const name of [
      '...',
      '..a',
      'a..b',
      '%2e%2e',
      'line\nbreak',
      'tab\tname',
      '\u202egnp.txt',
      '~',
      '-rf',
    ]) {
      write(name, 'odd')
      expect(await read(name)).toMatchObject({ text: 'odd' })
    }
  })

  test('is found in both Unicode normalization forms', async () => {
    write('caf\u00e9.md', 'composed')
    write('nai\u0308ve.md', 'decomposed')
    expect(await read('cafe\u0301.md')).toMatchObject({ text: 'composed' })
    expect(await read('na\u00efve.md')).toMatchObject({ text: 'decomposed' })
  })

  test('that grows during the read is read up to the limit', async () => {
    write('grows.log', 'x'.repeat(100))
    const file = await checkFile(join(root, 'grows.log'))
    if (isRefusal(file)) throw new Error(file.refused)
    truncateSync(join(root, 'grows.log'), 1_000_000)
    expect(await readChecked(file, 500)).toMatchObject({ size: 1_000_000, bytes: { length: 500 } })
  })
})

describe('refuses', () => {
  test.each([
    ['../secret.txt', 'outside'],
    ['a/../../secret.txt', 'outside'],
    ['a/..', 'outside'],
    ['..\\secret.txt', 'outside'],
    ['/etc/passwd', 'outside'],
    ['//etc/passwd', 'outside'],
    ['\\\\host\\share', 'outside'],
    ['C:\\Windows', 'outside'],
    ['%2e%2e/secret.txt', 'missing'],
    ['..%2fsecret.txt', 'missing'],
    ['..\u2215secret.txt', 'missing'],
    ['\uff0e\uff0e/secret.txt', 'missing'],
    ['file:///etc/passwd', 'missing'],
    ['secret.txt\0.md', 'invalid-path'],
    ['', 'invalid-path'],
    ['a'.repeat(5_000), 'invalid-path'],
    ['a'.repeat(300), 'missing'],
    ['\ud800', 'invalid-path'],
    ['none.md', 'missing'],
    ['file.md/x', 'missing'],
    ['.', 'folder'],
    ['folder', 'folder'],
    ['folder/', 'folder'],
  ])('%j: %s', async (path, refused) => {
    write('file.md')
    write('folder/file.md')
    expect(await read(path)).toEqual({ refused })
  })

  test.each([
    ['.env'],
    ['.ENV'],
    ['.env.local'],
    ['.envrc'],
    ['sub/.env.production'],
    ['.git/config'],
    ['.GIT/config'],
    ['.g\u200cit/config'],
    ['\uff0egit/config'],
    ['.git./config'],
    ['GIT~1/config'],
    ['.ssh/known_hosts'],
    ['id_rsa'],
    ['id_ed25519.pub'],
    ['server.pem'],
    ['SERVER.KEY'],
    ['server.key '],
    ['.npmrc'],
    ['.aws/credentials'],
    ['prod.tfstate'],
  ])('%j, which is used for secrets, before any allow list', async (path) => {
    write(path, SECRET)
    expect(await read(path, { allow: ['**'] })).toEqual({ refused: 'denied' })
    expect(JSON.stringify(await listed())).not.toContain(path.split('/').at(-1))
  })

  test('a link to a secret within the root', async () => {
    write('.env', SECRET)
    symlinkSync('.env', join(root, 'notes.md'))
    expect(await read('notes.md')).toEqual({ refused: 'denied' })
  })

  test('a file that no glob allows, also through an allowed link', async () => {
    write('docs/a.md')
    write('src/b.ts')
    symlinkSync('../src/b.ts', join(root, 'docs/b.md'))
    expect(await read('docs/a.md', { allow: ['docs/**'] })).toMatchObject({ text: 'docs/a.md' })
    expect(await read('src/b.ts', { allow: ['docs/**'] })).toEqual({ refused: 'denied' })
    expect(await read('docs/b.md', { allow: ['docs/**'] })).toEqual({ refused: 'denied' })
    expect(await listed('.', {}, { allow: ['docs/**'] })).toEqual(['docs/', 'docs/a.md', 'docs/b.md', 'src/'])
  })

  test.each([
    ['a file', '../secret.txt'],
    ['a file, by its absolute path', undefined],
    ['a folder', '../outside'],
    ['the root itself', '.'],
  ])('a link to the outside: %s', async (_, to) => {
    symlinkSync(to ?? join(folder, 'secret.txt'), join(root, 'link'))
    for (const path of ['link', 'link/secret.txt', 'link/../secret.txt', 'link/link/link/secret.txt']) {
      const result = await read(path)
      expect(result).toHaveProperty('refused')
      expect(JSON.stringify(result)).not.toContain(SECRET)
    }
  })

  test('a link next to the root with the same prefix', async () => {
    write('../root-of-another/secret.txt', SECRET)
    symlinkSync('../root-of-another', join(root, 'link'))
    expect(await read('link/secret.txt')).toEqual({ refused: 'outside' })
  })

  test('a cycle of links', async () => {
    symlinkSync('b', join(root, 'a'))
    symlinkSync('a', join(root, 'b'))
    expect(await read('a')).toEqual({ refused: 'invalid-path' })
  })

  test('but reads a link within the root by its real path', async () => {
    write('docs/a.md', 'text')
    symlinkSync('docs', join(root, 'link'))
    expect(await read('link/a.md')).toMatchObject({ path: 'docs/a.md', text: 'text' })
  })

  test('but accepts a root that is a link or does not exist', async () => {
    write('a.md', 'text')
    symlinkSync(root, join(folder, 'link'))
    expect(await read('a.md', { root: join(folder, 'link') })).toMatchObject({ text: 'text' })
    expect(await read('a.md', { root: join(folder, 'none') })).toEqual({ refused: 'missing' })
  })

  test('a FIFO, without blocking', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')])
    expect(await read('pipe')).toEqual({ refused: 'special-file' })
  })

  test('a FIFO that replaces the file after the check, without blocking', async () => {
    write('a.md')
    const file = await checkFile(join(root, 'a.md'))
    if (isRefusal(file)) throw new Error(file.refused)
    unlinkSync(join(root, 'a.md'))
    execFileSync('mkfifo', [join(root, 'a.md')])
    expect(await readChecked(file, 100)).toEqual({ refused: 'changed' })
  })

  test('a socket', async () => {
    const server = createServer().listen(join(root, 'socket'))
    await once(server, 'listening')
    expect(await read('socket')).toEqual({ refused: 'special-file' })
    server.close()
  })

  test
    .runIf(process.platform === 'linux')
    .each([
      ['dev/zero'],
      ['dev/null'],
      ['proc/self/environ'],
      ['proc/self/cwd/package.json'],
      ['sys/kernel/mm/transparent_hugepage/enabled'],
    ])('%s, with the file system as the root', async (path) => {
    const result = await read(path, { root: '/' })
    expect(result).toHaveProperty('refused')
  })

  test('but reads the beginning of a sparse file of 5 GB', async () => {
    write('sparse.txt', 'x')
    truncateSync(join(root, 'sparse.txt'), 5_000_000_000)
    expect(await read('sparse.txt')).toEqual({ refused: 'binary' })
    write('text.txt', 'line\n'.repeat(100))
    truncateSync(join(root, 'text.txt'), 5_000_000_000)
    expect(await read('text.txt', { maxFileBytes: 500 })).toMatchObject({
      size: 5_000_000_000,
      isWhole: false,
      text: 'line\n'.repeat(100),
    })
  })

  test.each([
    ['with NUL', Buffer.from([0x89, 0x50, 0, 0, 1, 2, 3])],
    ['with NUL far behind', Buffer.concat([Buffer.alloc(5_000, 'a'), Buffer.alloc(1)])],
    ['random', Buffer.from(Array.from({ length: 600 }, (_, index) => 128 + ((index * 7) % 120)))],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])],
    ['PDF', Buffer.from('%PDF-1.7 and so on')],
  ])('a binary file: %s', async (_, bytes) => {
    write('binary', bytes)
    expect(await read('binary')).toEqual({ refused: 'binary' })
  })

  test('a file without read permission, if the user is not root', async () => {
    write('private.md', SECRET)
    chmodSync(join(root, 'private.md'), 0o000)
    chmodSync(folder, 0o755)
    const script = `
      const [, path, root] = process.argv
      const { Workspace } = await import(path)
      if (process.getuid?.() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534) }
      console.log(JSON.stringify(await new Workspace({ root }).read('private.md')))`
    const module = join(import.meta.dirname, 'workspace.ts')
    const output = execFileSync(
      process.execPath,
      ['--conditions=@millrace/source', '--input-type=module', '--eval', script, module, root],
      { encoding: 'utf8' },
    )
    expect(JSON.parse(output)).toEqual({ refused: 'unreadable' })
  })
})

describe('a file that changes between the check and the read', () => {
  async function checked() {
    write('sub/a.md', 'fine')
    const file = await checkFile(join(root, 'sub/a.md'))
    if (isRefusal(file)) throw new Error(file.refused)
    return file
  }

  test('is read if nothing changes', async () => {
    expect(await readChecked(await checked(), 100)).toMatchObject({ bytes: Buffer.from('fine') })
  })

  test('is missing if it is deleted', async () => {
    const file = await checked()
    unlinkSync(join(root, 'sub/a.md'))
    expect(await readChecked(file, 100)).toEqual({ refused: 'missing' })
  })

  test('is refused if it becomes a link or another file, or is moved', async () => {
    const file = await checked()
    renameSync(join(root, 'sub/a.md'), join(root, 'b.md'))
    symlinkSync('../../secret.txt', join(root, 'sub/a.md'))
    expect(await readChecked(file, 100)).toEqual({ refused: 'changed' })
    unlinkSync(join(root, 'sub/a.md'))
    linkSync(join(folder, 'secret.txt'), join(root, 'sub/a.md'))
    expect(await readChecked(file, 100)).toEqual({ refused: 'changed' })
  })

  test('is refused if its folder becomes a link to the outside', async () => {
    write('outside-twin/a.md', SECRET)
    renameSync(join(root, 'outside-twin'), join(folder, 'twin'))
    symlinkSync('../twin', join(root, 'sub'))
    // The path was found to be within the root while `sub` was a folder.
    const file = await checkFile(join(root, 'sub/a.md'))
    if (isRefusal(file)) throw new Error(file.refused)
    expect(await readChecked(file, 100)).toEqual({ refused: 'changed' })
  })

  test('never returns a file outside, with any number of swaps', async () => {
    write('sub/secret.txt', 'fine')
    const swap = `
      const { renameSync, symlinkSync, unlinkSync } = require('node:fs')
      const { workerData, parentPort } = require('node:worker_threads')
      let running = true
      parentPort.on('message', () => { running = false })
      const turn = () => {
        for (let count = 0; count < 50; count++) {
          renameSync(workerData.root + '/sub', workerData.root + '/kept')
          symlinkSync('../outside', workerData.root + '/sub')
          unlinkSync(workerData.root + '/sub')
          renameSync(workerData.root + '/kept', workerData.root + '/sub')
        }
        if (running) setImmediate(turn)
        else process.exit()
      }
      parentPort.postMessage('ready')
      turn()`
    const worker = new Worker(swap, { eval: true, workerData: { root } })
    await once(worker, 'message')
    const seen = new Map<string, number>()
    for (let count = 0; count < 1_000; count++) {
      const result = await read('sub/secret.txt')
      const what = isRefusal(result) ? result.refused : result.text
      seen.set(what, (seen.get(what) ?? 0) + 1)
      const names = JSON.stringify(await listed('sub'))
      expect(names).toMatch(/^\["secret.txt"\]$|refused/)
    }
    worker.postMessage('stop')
    await once(worker, 'exit')
    expect([...seen.keys()]).not.toContain(SECRET)
  })
})

describe('.gitignore', () => {
  beforeEach(() => {
    write('.gitignore', 'build/\n*.log\n!keep.log\n/only-here.txt\n')
    write('build/out.js')
    write('build/.gitignore', '!out.js')
    write('a.log')
    write('keep.log')
    write('only-here.txt')
    write('sub/only-here.txt')
    write('sub/.gitignore', '!b.log\nsecret.txt\n')
    write('sub/b.log')
    write('sub/c.log')
    write('sub/secret.txt')
    write('sub/deep/secret.txt')
    write('secret.txt')
  })

  const READABLE = [
    '.gitignore',
    'keep.log',
    'secret.txt',
    'sub/.gitignore',
    'sub/b.log',
    'sub/only-here.txt',
  ]

  test('nested, with negations, decides what is read', async () => {
    for (const path of READABLE) expect(await read(path)).toMatchObject({ text: expect.any(String) })
    const ignored = [
      'build/out.js',
      'a.log',
      'only-here.txt',
      'sub/c.log',
      'sub/secret.txt',
      'sub/deep/secret.txt',
    ]
    for (const path of ignored) expect(await read(path)).toEqual({ refused: 'ignored' })
    for (const path of ignored)
      expect(await read(path, { gitignore: false })).toMatchObject({ text: expect.any(String) })
  })

  test('decides the same for a listing, as git does', async () => {
    const names = (await listed()) as string[]
    expect(names.filter((name) => !name.endsWith('/')).sort()).toEqual(READABLE)
    expect(await listed('build')).toEqual({ refused: 'ignored' })
    execFileSync('git', ['init', '--quiet'], { cwd: root })
    const byGit = execFileSync('git', ['ls-files', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(byGit.trim().split('\n').sort()).toEqual(READABLE)
  })

  test('is not read through a link, and no pattern is slow', async () => {
    symlinkSync('../../secret.txt', join(root, 'sub/deep/.gitignore'))
    write('long/.gitignore', `${'*a'.repeat(30)}b\n`)
    write(`long/${'a'.repeat(240)}`)
    const deep = Array.from({ length: 100 }, () => 'a').join('/')
    write('deep/.gitignore', `${'**/'.repeat(30)}b\n`)
    write(`deep/${deep}/c`)
    expect(await read(`deep/${deep}/c`)).toMatchObject({ isWhole: true })
    expect(await listed('long')).toEqual(['.gitignore', 'a'.repeat(240)])
  })
})

describe('a listing', () => {
  test('has entries of low depth first, and the number of omitted ones', async () => {
    for (const name of ['a', 'b', 'c']) for (const file of ['1', '2', '3']) write(`${name}/${file}.md`)
    write('z.md')
    expect(await listed('.', { maxEntries: 6 })).toEqual(['a/', 'a/1.md', 'a/2.md', 'b/', 'c/', 'z.md'])
    const listing = await workspace().list('.', { maxEntries: 6 })
    expect(listing).toMatchObject({
      omitted: 0,
      entries: [{ name: 'a', folder: { omitted: 1 } }, {}, {}, {}],
    })
    expect(await listed('.', { maxDepth: 1 })).toEqual(['a/', 'b/', 'c/', 'z.md'])
  })

  test('does not follow links', async () => {
    symlinkSync('../outside', join(root, 'link'))
    write('a.md')
    expect(await listed()).toEqual(['a.md', 'link'])
    expect(await listed('link')).toEqual({ refused: 'outside' })
  })

  test('of a file, of nothing, and of the outside is a refusal', async () => {
    write('a.md')
    expect(await listed('a.md')).toEqual({ refused: 'file' })
    expect(await listed('none')).toEqual({ refused: 'missing' })
    expect(await listed('..')).toEqual({ refused: 'outside' })
    expect(await listed('.git')).toEqual({ refused: 'denied' })
  })

  test('of 100,000 files has the first ones, and yields to the event loop', async () => {
    const count = process.env.MILLRACE_THOROUGH === '1' ? 100_000 : 25_000
    for (let index = 0; index < count; index++)
      writeFileSync(join(root, `file-${String(index).padStart(6, '0')}.txt`), '')
    let turns = 0
    let isListing = true
    const others = (): void => {
      turns++
      if (isListing) setImmediate(others)
    }
    others()
    const listing = await workspace().list('.', { maxEntries: 5 })
    expect(listing).toMatchObject({
      entries: [0, 1, 2, 3, 4].map((index) => ({ name: `file-00000${index}.txt` })),
      omitted: count - 5,
    })
    isListing = false
    expect(turns).toBeGreaterThan(count / 5_000)
  })
})

test('nothing outside the root is read, for any path', async () => {
  write('a/b/c.md', 'inside')
  symlinkSync('../../outside', join(root, 'a/out'))
  symlinkSync('..', join(root, 'a/up'))
  symlinkSync('../..', join(root, 'a/b/upper'))
  symlinkSync('../../..', join(root, 'a/b/top'))
  const segment = fc.constantFrom(
    '..', '.', '', 'a', 'b', 'c.md', 'out', 'up', 'upper', 'top', 'secret.txt', 'outside', 'root',
    '%2e%2e', '..%2f', '\0', '..\\', '\u2024\u2024', 'A', '~', 'a\n', folder,
  ) // biome-ignore format: a list of words
  await fc.assert(
    fc.asyncProperty(
      fc.array(segment, { maxLength: 8 }),
      fc.constantFrom('/', '//', '\\', '/./'),
      async (segments, by) => {
        const result = await read(segments.join(by))
        expect(JSON.stringify(result)).not.toContain(SECRET)
        if (!isRefusal(result)) expect(result.text).toBe('inside')
        const names = JSON.stringify(await listed(segments.join(by)))
        expect(names).not.toContain('secret.txt')
      },
    ),
    { numRuns: 500 },
  )
})

test.each([
  { root: '' },
  { root: 'a\0b' },
  { root: 1 },
  { allow: 'docs' },
  { maxFileBytes: 0 },
  { maxFileBytes: 1.5 },
])('throws on %o', (options) => {
  expect(() => workspace(options as never)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
})
