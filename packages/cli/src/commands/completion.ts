/** `longshore completion SHELL`: a script by which a shell completes commands, options and their choices. */
import { Argument, type Command } from 'commander';
import { print } from '../terminal.js';

/** The scripts ask this program, so they never fall behind its commands. */
const SCRIPTS = {
  bash: `_longshore() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(longshore complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _longshore longshore`,
  zsh: `#compdef longshore
_longshore() {
  local -a candidates
  candidates=("\${(@f)$(longshore complete -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
  compadd -a candidates
  _files
}
compdef _longshore longshore`,
  fish: `complete -c longshore -a '(longshore complete -- (commandline -opc)[2..] 2>/dev/null)'`,
} as const;

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands in a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
Examples:
  source <(longshore completion bash)
  longshore completion zsh > ~/.zfunc/_longshore
  longshore completion fish > ~/.config/fish/completions/longshore.fish`,
    )
    .action((shell: keyof typeof SCRIPTS) => print(SCRIPTS[shell]));
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => {
      for (const candidate of candidatesAfter(program, words)) print(candidate);
    });
}

/** What may follow these words: sub-commands, options, or the choices of an option or an argument. */
function candidatesAfter(program: Command, words: readonly string[]): string[] {
  let command = program;
  let given = 0;
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (next !== undefined) command = next;
    else if (!word.startsWith('-')) given++;
  }
  const option = command.options.find(({ long, short }) => [long, short].includes(words.at(-1)));
  if (option?.required) return [...(option.argChoices ?? [])];
  const isShown = (one: Command) => one.name() !== 'complete';
  return [
    ...command.commands.filter(isShown).map((one) => one.name()),
    ...(command.registeredArguments[given]?.argChoices ?? []),
    ...command.options.flatMap(({ long }) => long ?? []),
    '--help',
  ];
}
