// Emits a package's declarations to dist. Run in the package's folder, after build.ts.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'

// Built declarations of the siblings, not their sources, which lie outside this package.
const options =
  '--noEmit false --emitDeclarationOnly --declarationMap --rootDir src --outDir dist --customConditions null'
const { status } = spawnSync('tsc', options.split(' '), { stdio: 'inherit' })
if (status !== 0) process.exit(1)

// tsc keeps the sources' `.ts` extensions in declarations, but consumers have no such files.
const tsSpecifier = /(\b(?:from|import|module)\s*\(?\s*['"]\.{1,2}\/[^'"\n]*)\.ts(?=['"])/g
for (const file of globSync('dist/**/*.d.ts')) {
  const declarations = readFileSync(file, 'utf8')
  writeFileSync(file, declarations.replace(tsSpecifier, '$1.js'))
}
