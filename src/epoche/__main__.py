from epoche.cli import main

main()
