// Emits the type declarations of a package to dist. Run it in the folder of the package, after build.ts.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'

// Resolve siblings to their built declarations: their sources are outside of rootDir.
const options =
  '--noEmit false --emitDeclarationOnly --declarationMap --rootDir src --outDir dist --customConditions null'
const { status } = spawnSync('tsc', options.split(' '), { stdio: 'inherit' })
if (status !== 0) process.exit(1)

// tsc keeps `.ts` extensions in declarations, but published packages have `.js` files.
const tsSpecifier = /(\b(?:from|import|module)\s*\(?\s*['"]\.{1,2}\/[^'"\n]*)\.ts(?=['"])/g
for (const file of globSync('dist/**/*.d.ts')) {
  const declarations = readFileSync(file, 'utf8')
  writeFileSync(file, declarations.replace(tsSpecifier, '$1.js'))
}
