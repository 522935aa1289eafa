/** What is tried behind an allowed command, `echo` or `git`, and in front of it. `CANARY` is a file that must not appear. */
const APPENDED = [
  '; touch CANARY', ';touch CANARY', '& touch CANARY', '&& touch CANARY', '| touch CANARY', '|| touch CANARY',
  '|& touch CANARY', '\ntouch CANARY', '\rtouch CANARY', '\r\ntouch CANARY', '\u2028touch CANARY', '\u0085touch CANARY',
  '\u000btouch CANARY', '\0touch CANARY', '%0atouch CANARY', '%0a%0dtouch CANARY', '\\ntouch CANARY', '> CANARY', '>> CANARY',
  '>| CANARY', '2> CANARY', '&> CANARY', '<> CANARY', '< /etc/passwd', '<< EOF', '<<< x', '`touch CANARY`',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as a shell reads it
  '$(touch CANARY)', '$((touch CANARY))', '${touch CANARY}', '$(<CANARY)', '<(touch CANARY)', '>(touch CANARY)', '=(touch CANARY)',
  '"; touch CANARY"', "'; touch CANARY'", '"$(touch CANARY)"', "$'\\ntouch CANARY'", '$"touch CANARY"', '\\; touch CANARY',
  '!touch CANARY', '!!', '!-1', '*', '?', '[a-z]', '{a,b}', '{1..9}', '**/*', '~', '~root', '~+', '$HOME', '$IFS',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as a shell reads it
  '${IFS}touch${IFS}CANARY', '$PATH', '$0', '$@', '$*', '$$', '#', '# touch CANARY', '(touch CANARY)', '{ touch CANARY; }',
  'function f() { touch CANARY; }; f', ': ; touch CANARY', ';;', '&', '|', '\\', '\\\ntouch CANARY', '\ttouch\tCANARY;',
  '\u037e touch CANARY', '\uff1b touch CANARY', '\uff06 touch CANARY', '\uff5c touch CANARY', '\u200b; touch CANARY',
  '\u001b[2J', '\u0007', '\u0003', '\u001a', '\u0000', '\ud800', 'a\u0300;touch CANARY', 'a;b', 'a|b', 'a>b', 'a<b', 'a&b',
  'a`b', "a'b", 'a"b', 'a(b', 'a)b', 'a*b', 'a?b', 'a[b', 'a]b', 'a{b', 'a}b', 'a$b', 'a!b', 'a#b', 'a~b', 'a^b', 'a\\b',
] as const // biome-ignore format: a list of attacks

/** Options that make a harmless program run another, or write a file. */
const OPTIONS = [
  'git -c core.pager=touch log', 'git -c core.sshCommand=touch fetch', 'git -c alias.x=!touch x', 'git -c core.fsmonitor=touch status',
  'git -ccore.pager=touch log', 'git --config-env=core.pager=X log', 'git --exec-path=. status', 'git --git-dir=. status',
  'git --work-tree=/ status', 'git -C / status', 'git -C .. log', 'git -p status', 'git --paginate status',
  'git log --output=CANARY', 'git log --ext-diff', 'git diff --no-index /etc/passwd /dev/null', 'git diff --output CANARY',
  'git fetch --upload-pack=touch', 'git fetch --upload-pack touch origin', 'git clone --upload-pack=touch .', 'git ls-remote --upload-pack=touch .',
  'git push --receive-pack=touch', 'git archive --exec=touch', 'git archive --remote=. --exec=touch', 'git grep --open-files-in-pager=touch x',
  'git grep -Otouch x', 'git rebase --exec touch', 'git rebase -x touch', 'git bisect run touch CANARY', 'git submodule foreach touch',
  'git filter-branch --tree-filter touch', 'git clone ext::touch', 'git clone file:///etc', 'git config core.pager touch',
  'git init CANARY', 'git worktree add CANARY', 'git checkout -b CANARY', 'git log --no-pager --exec=touch', 'git show --textconv',
  'git log -- --output=CANARY', 'git status --porcelain --output=CANARY', 'git log main --output=CANARY', 'git log --all', 'git log -1',
  'find . -exec touch CANARY +', 'find . -execdir touch CANARY +', 'find . -ok touch CANARY', 'find . -delete', 'find . -fprint CANARY',
  'tar -cf CANARY .', 'tar --checkpoint-action=exec=touch', 'tar --use-compress-program=touch', 'tar --to-command=touch -x',
  'xargs touch', 'env touch CANARY', 'env -i touch CANARY', 'sh -c touch', 'bash -c touch', 'bash -lc touch', 'zsh -c touch', 'dash CANARY',
  'busybox touch CANARY', 'node -e 1', 'node --eval=1', 'node --require=./x', 'python3 -c 1', 'perl -e 1', 'ruby -e 1', 'php -r 1',
  'awk BEGIN', 'sed -n 1e', 'sed -i s/a/b/ CANARY', 'vim -c x', 'less CANARY', 'man -P touch ls', 'ssh -oProxyCommand=touch x',
  'rsync -e touch a b', 'scp -S touch a b', 'curl -o CANARY example.com', 'wget -O CANARY example.com', 'nc -e touch', 'socat EXEC:touch -',
  'sudo touch CANARY', 'su -c touch', 'doas touch CANARY', 'nohup touch CANARY', 'timeout 1 touch CANARY', 'nice touch CANARY',
  'strace touch CANARY', 'script -c touch CANARY', 'watch touch', 'time touch CANARY', 'eval touch', 'exec touch CANARY', 'source CANARY',
  '. CANARY', 'command touch CANARY', 'builtin eval', 'trap touch EXIT', 'alias x=touch', 'export PATH=.', 'cd ..', 'touch CANARY',
  'PATH=. echo allowed', 'LD_PRELOAD=./x.so echo allowed', 'GIT_SSH_COMMAND=touch git status', 'GIT_PAGER=touch git status',
  'BASH_ENV=./x echo allowed', 'IFS=x echo allowed', 'A=1 echo allowed', '/bin/echo allowed', '/usr/bin/touch CANARY', './echo allowed',
  '../bin/echo allowed', 'bin/echo allowed', 'ECHO allowed', 'Echo allowed', 'echo\u200b allowed', '\uff45cho allowed', 'echo.exe allowed',
  'echo.cmd allowed', '\\echo allowed', '"echo" allowed', "'echo' allowed", 'e"c"ho allowed', 'e\\cho allowed', '__proto__', 'constructor allowed',
  'toString', 'hasOwnProperty echo', 'echo', 'echo allowed allowed', 'echo not-allowed', 'echo -e allowed', 'echo allowed -n', 'echo --help',
  'echo Allowed', 'echo allowed\u200b', 'echo \uff41llowed', 'echo all owed', 'echo allowed.', 'echo word-', 'echo allowedx', 'echo xallowed',
  'git', 'git status status', 'git STATUS', 'git status .', 'git log', 'git log main other', 'git log ../main', 'git log -main', 'git log --main',
] as const // biome-ignore format: a list of attacks

/** Attempts to run something else than `echo allowed`, `git status` or `git log <word>`. */
export const INJECTIONS: readonly string[] = [
  ...APPENDED.flatMap((text) => [`echo allowed ${text}`, `echo allowed${text}`]),
  ...APPENDED.map((text) => `git log ${text}`),
  ...OPTIONS,
]
