import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TEMPLATES } from './templates.ts'

export interface CreateOptions {
  /** Where the project goes: a folder that is empty, or is not there yet. */
  readonly folder: string
  /** One of {@link TEMPLATES}. */
  readonly template: string
  /** The name of its package. Default: the name of the folder. */
  readonly name?: string | undefined
}

/** Next to `src` in the repository, and next to `dist` in the package. */
const HOME = fileURLToPath(new URL('..', import.meta.url))

/** What is of the repository, and not of a project. */
const NOT_COPIED = new Set(['node_modules', 'dist', '.next', '.wrangler'])

/** As npm takes names: https://docs.npmjs.com/cli/configuring-npm/package-json#name */
const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/

/**
 * Writes a project from a template. Nothing is installed, and no file that exists is touched.
 *
 * @returns the name of the package and the absolute path of its folder
 * @throws Error that names the value if there is no such template, the folder is not empty, or the name cannot be one
 */
export async function createProject(options: CreateOptions): Promise<{ name: string; folder: string }> {
  const { template } = options
  const folder = resolve(options.folder)
  const name = options.name ?? basename(folder).toLowerCase()
  checkTemplate(template)
  checkName(name)
  await checkEmpty(folder)
  await mkdir(folder, { recursive: true })
  await cp(join(HOME, 'templates', template), folder, {
    recursive: true,
    filter: (source) => !NOT_COPIED.has(basename(source)),
  })
  // npm leaves files of this name out of packages.
  await rename(join(folder, '_gitignore'), join(folder, '.gitignore'))
  await writeFile(join(folder, 'package.json'), await manifestOf(folder, name))
  await writeFile(join(folder, 'README.md'), await readmeOf(folder, name))
  await nameWorker(folder, name)
  return { name, folder }
}

function checkTemplate(template: string): void {
  const names = TEMPLATES.map(({ name }) => name)
  if (!names.includes(template)) {
    throw new Error(`There is no template '${template}'. Use one of: ${names.join(', ')}.`)
  }
}

function checkName(name: string): void {
  if (name.length > 214 || !PACKAGE_NAME.test(name)) {
    throw new Error(
      `'${name}' cannot be the name of a package. Use lower-case letters, digits, '-', '.' and '_', such as 'my-agent' or '@acme/my-agent' (--name).`,
    )
  }
}

async function checkEmpty(folder: string): Promise<void> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    if (error.code === 'ENOTDIR') return ['it is a file']
    throw error
  })
  // A repository that was made before is as good as empty.
  const found = files.filter((file) => file !== '.git')
  if (found.length > 0) {
    throw new Error(`The folder ${folder} is not empty (${found[0]}). Name another one, or empty it first.`)
  }
}

/**
 * The manifest with the project's name, and with versions in place of links within the repository. Its exports lie under
 * `publishConfig` until then: a manifest within a package must have none.
 */
async function manifestOf(folder: string, name: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8')) as { version: string }
  const template = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const manifest = Object.fromEntries(
    Object.entries(template).map(([key, value]) =>
      key === 'publishConfig' ? ['exports', template.publishConfig.exports] : [key, value],
    ),
  )
  manifest.name = name
  if (manifest.files) delete manifest.private
  for (const kind of ['dependencies', 'devDependencies', 'peerDependencies']) {
    const ranges: Record<string, string> = manifest[kind] ?? {}
    for (const [dependency, range] of Object.entries(ranges)) {
      if (range.startsWith('workspace:')) ranges[dependency] = `^${version}`
    }
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

async function readmeOf(folder: string, name: string): Promise<string> {
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  return readme.replace(/^# .*/, () => `# ${name}`)
}

/** A worker is deployed under the name in its configuration, which takes letters, digits and dashes. */
async function nameWorker(folder: string, name: string): Promise<void> {
  const file = join(folder, 'wrangler.jsonc')
  const config = await readFile(file, 'utf8').catch(() => undefined)
  if (config === undefined) return
  const worker = name.replace(/^@[^/]*\//, '').replace(/[^a-z0-9]+/g, '-')
  await writeFile(
    file,
    config.replace('"name": "worker"', () => `"name": "${worker}"`),
  )
}
