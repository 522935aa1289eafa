import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createProject } from './create-project.ts'
import { TEMPLATES } from './templates.ts'

/** Templates of packages that are meant to be published. */
const PUBLISHED = ['processor', 'store']

let parent: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'create-millrace-'))
})
afterEach(() => rmSync(parent, { recursive: true }))

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

describe.each(TEMPLATES)('a project from the template $name', ({ name: template, scripts }) => {
  test('has its name, versions instead of links, and no files of the repository', async () => {
    const { name, folder } = await createProject({ folder: join(parent, 'My-Project'), template })
    expect(name).toBe('my-project')
    const manifest = manifestOf(folder)
    expect(manifest.name).toBe('my-project')
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toMatch(/^# my-project\n/)
    expect(JSON.stringify(manifest)).not.toContain('workspace:')
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    expect({ ...manifest.peerDependencies, ...manifest.dependencies }['@millrace/core']).toBe(`^${version}`)
    const files = readdirSync(folder)
    expect(files).toEqual(expect.arrayContaining(['.gitignore', 'package.json', 'src', 'tsconfig.json']))
    for (const left of ['_gitignore', 'node_modules', 'dist']) expect(files).not.toContain(left)
    for (const script of scripts) expect(manifest.scripts).toHaveProperty(script)
  })

  test('can be published if it is a package', async () => {
    const { folder } = await createProject({
      folder: join(parent, 'project'),
      template,
      name: '@acme/project',
    })
    const { private: isPrivate, exports, license, name } = manifestOf(folder)
    expect(name).toBe('@acme/project')
    if (!PUBLISHED.includes(template)) expect(isPrivate).toBe(true)
    else {
      expect(isPrivate).toBeUndefined()
      expect(license).toBe('MIT')
      expect(exports['.']).toHaveProperty('types')
      expect(readdirSync(folder)).toEqual(expect.arrayContaining(['.changeset', '.github', 'LICENSE']))
    }
  })
})

describe('invalid arguments throw, and nothing is written', () => {
  test('a folder that has files', async () => {
    writeFileSync(join(parent, 'notes.txt'), 'mine')
    await expect(createProject({ folder: parent, template: 'agent' })).rejects.toThrow(
      'is not empty (notes.txt)',
    )
    expect(readdirSync(parent)).toEqual(['notes.txt'])
  })

  test('but accepts a new git repository', async () => {
    const folder = join(parent, 'project')
    mkdirSync(join(folder, '.git'), { recursive: true })
    await createProject({ folder, template: 'agent' })
    expect(readdirSync(folder)).toContain('package.json')
  })

  test.each([
    [
      { template: 'nonesuch' },
      "There is no template 'nonesuch'. Use one of: agent, chat-vite, chat-next, worker, processor, store.",
    ],
    [{ template: '../store' }, "There is no template '../store'."],
    [{ template: 'agent', name: 'My Agent' }, "'My Agent' is not a valid package name."],
  ])('%j', async (options, message) => {
    const folder = join(parent, 'project')
    await expect(createProject({ folder, ...options })).rejects.toThrow(message)
    expect(readdirSync(parent)).toEqual([])
  })
})

describe('the command', () => {
  let userAgent = 'npm/11.0.0 node/v24.0.0'
  const run = (...args: string[]) =>
    promisify(execFile)(
      process.execPath,
      [
        '--conditions=@millrace/source',
        '--input-type=module',
        '-e',
        `import { main } from ${JSON.stringify(new URL('./main.ts', import.meta.url).href)}
         process.exitCode = await main(JSON.parse(process.argv[1]))`,
        JSON.stringify(args),
      ],
      { cwd: parent, env: { ...process.env, npm_config_user_agent: userAgent } },
    ).catch((error: { code: number; stdout: string; stderr: string }) => error)

  test('creates a project without questions if there is no terminal, and prints the next steps', async () => {
    const { stdout } = await run('shop', '--template', 'processor', '--no-install')
    expect(stdout).toContain('shop is ready.')
    expect(stdout).toContain('cd shop\n  npm install\n')
    expect(manifestOf(join(parent, 'shop')).name).toBe('shop')
  })

  test('uses the package manager that runs it', async () => {
    userAgent = 'pnpm/10.0.0 npm/? node/v24.0.0'
    const { stdout } = await run('shop', '--no-install')
    expect(stdout).toContain('cd shop\n  pnpm install\n  pnpm start\n')
  })

  test('prints an error in one line, with exit code 1', async () => {
    const failed = await run('shop', '--template', 'nonesuch')
    expect(failed).toMatchObject({ code: 1 })
    expect(`${failed.stdout}${failed.stderr}`).toContain("There is no template 'nonesuch'.")
    const unknown = await run('--nonesuch')
    expect(unknown).toMatchObject({ code: 1 })
    expect(`${unknown.stdout}${unknown.stderr}`).toContain('--nonesuch')
  })

  test('lists templates and options', async () => {
    const { stdout } = await run('--help')
    for (const { name } of TEMPLATES) expect(stdout).toContain(name)
  })
})

test('a worker is deployed under the name of its project', async () => {
  const { folder } = await createProject({
    folder: join(parent, 'project'),
    template: 'worker',
    name: '@acme/my.shop',
  })
  expect(readFileSync(join(folder, 'wrangler.jsonc'), 'utf8')).toContain('"name": "my-shop"')
})

describe('shared files of the templates are identical', () => {
  const templates = new URL('../templates/', import.meta.url)
  const filesOf = (template: string): string[] =>
    ['src', 'page'].flatMap((folder) => {
      const place = new URL(`${template}/${folder}/`, templates)
      return existsSync(place) ? readdirSync(place).map((file) => `${folder}/${file}`) : []
    })
  const read = (template: string, file: string): string =>
    readFileSync(new URL(`${template}/${file}`, templates), 'utf8')

  test.each(['chat-next', 'worker'])('chat-vite and %s', (template) => {
    const shared = filesOf('chat-vite').filter((file) => filesOf(template).includes(file))
    expect(shared).toContain('src/agent.ts')
    for (const file of shared) expect(read(template, file), file).toBe(read('chat-vite', file))
  })
})
